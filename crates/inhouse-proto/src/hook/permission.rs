use super::HookCommon;
use serde::Deserialize;
use serde_json::Value;

use crate::builtin::{InputError, ToolInput, decode_input};
use crate::control::PermissionUpdate;
use crate::control::incoming::ToolOrigin;

/// Event that fires when a tool call needs a permission decision.
///
/// The CLI sends the request to the permission handler of the host at the same time, and uses the first decision. Calls
/// that need no decision do not fire this event; use [`PreToolUse`](super::PreToolUse) for those.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PermissionRequest {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The name of the tool.
    pub tool_name: String,
    /// The input of the tool.
    pub tool_input: Value,
    /// Permission updates that implement "always allow" when the answer returns them.
    pub permission_suggestions: Option<Vec<PermissionUpdate>>,
    /// The server of an MCP tool. `None` for other tools.
    pub mcp_server: Option<ToolOrigin>,
}

impl PermissionRequest {
    /// Decodes the input into the type of the tool, such as [`Bash`](crate::builtin::Bash).
    ///
    /// # Errors
    /// Returns an error if the call is of another tool, or if a member is missing or has the wrong shape.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::builtin::Bash;
    /// use inhouse::hook::{HookEvent, PermissionRequest};
    ///
    /// let call = PermissionRequest::decode(r#"{
    ///     "session_id": "s", "transcript_path": "/tmp/t", "cwd": "/", "hook_event_name": "PermissionRequest",
    ///     "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1"
    /// }"#)?;
    /// assert_eq!(call.input_as::<Bash>()?.command, "ls");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn input_as<T: ToolInput>(&self) -> Result<T, InputError> {
        decode_input(&self.tool_name, &self.tool_input)
    }
}

/// Event that fires when a classifier model has denied a tool call.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PermissionDenied {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The name of the tool.
    pub tool_name: String,
    /// The input of the tool.
    pub tool_input: Value,
    /// The id of the tool call.
    pub tool_use_id: String,
    /// Reason for the denial.
    pub reason: String,
    /// The server of an MCP tool. `None` for other tools.
    pub mcp_server: Option<ToolOrigin>,
}

impl PermissionDenied {
    /// Decodes the input into the type of the tool, such as [`Bash`](crate::builtin::Bash).
    ///
    /// # Errors
    /// Returns an error if the call is of another tool, or if a member is missing or has the wrong shape.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::builtin::Bash;
    /// use inhouse::hook::{HookEvent, PermissionDenied};
    ///
    /// let call = PermissionDenied::decode(r#"{
    ///     "session_id": "s", "transcript_path": "/tmp/t", "cwd": "/", "hook_event_name": "PermissionDenied",
    ///     "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1", "reason": "risky"
    /// }"#)?;
    /// assert_eq!(call.input_as::<Bash>()?.command, "ls");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn input_as<T: ToolInput>(&self) -> Result<T, InputError> {
        decode_input(&self.tool_name, &self.tool_input)
    }
}
