use super::HookCommon;
use serde::Deserialize;
use serde_json::Value;

use crate::builtin::{InputError, ToolInput, decode_input};
use crate::control::incoming::ToolOrigin;

/// Event that fires before a tool runs.
///
/// The only event that fires for every tool call, including calls that need no permission. An answer may
/// [allow](super::HookOutput::allow), [deny](super::HookOutput::deny), [ask](super::HookOutput::ask) or
/// [defer](super::HookOutput::defer) the call, and [change its input](super::HookOutput::update_input). If several
/// hooks answer, the strongest decision wins: deny, then defer, ask, allow, and no decision.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PreToolUse {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The name of the tool, such as `Bash` or `mcp__calc__add`.
    pub tool_name: String,
    /// The input of the tool, as the model wrote it.
    pub tool_input: Value,
    /// The id of the tool call.
    pub tool_use_id: String,
    /// The server of an MCP tool. `None` for other tools.
    pub mcp_server: Option<ToolOrigin>,
}

impl PreToolUse {
    /// Decodes the input into the type of the tool, such as [`Bash`](crate::builtin::Bash).
    ///
    /// # Errors
    /// Returns an error if the call is of another tool, or if a member is missing or has the wrong shape.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::builtin::Bash;
    /// use inhouse::hook::{HookEvent, PreToolUse};
    ///
    /// let call = PreToolUse::decode(r#"{
    ///     "session_id": "s", "transcript_path": "/tmp/t", "cwd": "/", "hook_event_name": "PreToolUse",
    ///     "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1"
    /// }"#)?;
    /// assert_eq!(call.input_as::<Bash>()?.command, "ls");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn input_as<T: ToolInput>(&self) -> Result<T, InputError> {
        decode_input(&self.tool_name, &self.tool_input)
    }
}

/// Event that fires after a tool has run.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PostToolUse {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The name of the tool.
    pub tool_name: String,
    /// The input that the tool ran with.
    pub tool_input: Value,
    /// The output of the tool, in the tool's own format.
    pub tool_response: Value,
    /// The id of the tool call.
    pub tool_use_id: String,
    /// Run time of the tool in milliseconds.
    pub duration_ms: Option<u64>,
    /// The server of an MCP tool. `None` for other tools.
    pub mcp_server: Option<ToolOrigin>,
}

impl PostToolUse {
    /// Decodes the input into the type of the tool, such as [`Bash`](crate::builtin::Bash).
    ///
    /// # Errors
    /// Returns an error if the call is of another tool, or if a member is missing or has the wrong shape.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::builtin::Bash;
    /// use inhouse::hook::{HookEvent, PostToolUse};
    ///
    /// let call = PostToolUse::decode(r#"{
    ///     "session_id": "s", "transcript_path": "/tmp/t", "cwd": "/", "hook_event_name": "PostToolUse",
    ///     "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1",
    ///     "tool_response": {"stdout": "a"}
    /// }"#)?;
    /// assert_eq!(call.input_as::<Bash>()?.command, "ls");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn input_as<T: ToolInput>(&self) -> Result<T, InputError> {
        decode_input(&self.tool_name, &self.tool_input)
    }
}

/// Event that fires after a tool has failed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PostToolUseFailure {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The name of the tool.
    pub tool_name: String,
    /// The input that the tool ran with.
    pub tool_input: Value,
    /// The id of the tool call.
    pub tool_use_id: String,
    /// Description of the error.
    pub error: String,
    /// Whether the tool was interrupted.
    pub is_interrupt: Option<bool>,
    /// Run time of the tool in milliseconds.
    pub duration_ms: Option<u64>,
    /// The server of an MCP tool. `None` for other tools.
    pub mcp_server: Option<ToolOrigin>,
}

impl PostToolUseFailure {
    /// Decodes the input into the type of the tool, such as [`Bash`](crate::builtin::Bash).
    ///
    /// # Errors
    /// Returns an error if the call is of another tool, or if a member is missing or has the wrong shape.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::builtin::Bash;
    /// use inhouse::hook::{HookEvent, PostToolUseFailure};
    ///
    /// let call = PostToolUseFailure::decode(r#"{
    ///     "session_id": "s", "transcript_path": "/tmp/t", "cwd": "/", "hook_event_name": "PostToolUseFailure",
    ///     "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1", "error": "Exit code 3"
    /// }"#)?;
    /// assert_eq!(call.input_as::<Bash>()?.command, "ls");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn input_as<T: ToolInput>(&self) -> Result<T, InputError> {
        decode_input(&self.tool_name, &self.tool_input)
    }
}

/// Event that fires after all tool calls of one message of the model have finished.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PostToolBatch {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The tool calls of the message.
    pub tool_calls: Vec<BatchedCall>,
}

/// Tool call of a [`PostToolBatch`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct BatchedCall {
    /// The name of the tool.
    pub tool_name: String,
    /// The input of the tool.
    pub tool_input: Value,
    /// The id of the tool call.
    pub tool_use_id: String,
    /// The result as the model receives it: a text, or a list of content blocks.
    pub tool_response: Option<Value>,
}

impl BatchedCall {
    /// Decodes the input into the type of the tool, such as [`Bash`](crate::builtin::Bash).
    ///
    /// # Errors
    /// Returns an error if the call is of another tool, or if a member is missing or has the wrong shape.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::builtin::{Bash, Read, ToolInput};
    /// use inhouse::hook::{HookEvent, PostToolBatch};
    ///
    /// let batch = PostToolBatch::decode(r#"{
    ///     "session_id": "s", "transcript_path": "/tmp/t", "cwd": "/", "hook_event_name": "PostToolBatch",
    ///     "tool_calls": [{"tool_name": "Read", "tool_input": {"file_path": "/a"}, "tool_use_id": "toolu_1"}]
    /// }"#)?;
    /// let call = &batch.tool_calls[0];
    /// assert_eq!(call.input_as::<Read>()?.file_path, "/a");
    /// assert_eq!(call.input_as::<Bash>().unwrap_err().to_string(), "the call is of Read and not of Bash");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn input_as<T: ToolInput>(&self) -> Result<T, InputError> {
        decode_input(&self.tool_name, &self.tool_input)
    }
}
