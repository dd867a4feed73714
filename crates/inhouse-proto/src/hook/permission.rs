use super::{HookCommon, HookEvent};
use serde::Deserialize;
use serde_json::Value;

use crate::control::PermissionUpdate;
use crate::control::incoming::ToolServer;

/// Somebody has to be asked whether a tool may run.
///
/// The CLI asks the permission handler of the host at the same time, and takes the first
/// decision. For calls that nobody has to be asked about, use [`PreToolUse`](super::PreToolUse).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PermissionRequest {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The tool.
    pub tool_name: String,
    /// Its input.
    pub tool_input: Value,
    /// What to answer for "always allow".
    pub permission_suggestions: Option<Vec<PermissionUpdate>>,
    /// The server of an MCP tool.
    pub mcp_server: Option<ToolServer>,
}

impl HookEvent for PermissionRequest {
    const NAME: &'static str = "PermissionRequest";
}

/// A model that judges tool calls has denied one.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PermissionDenied {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The tool.
    pub tool_name: String,
    /// Its input.
    pub tool_input: Value,
    /// The tool call.
    pub tool_use_id: String,
    /// Why.
    pub reason: String,
    /// The server of an MCP tool.
    pub mcp_server: Option<ToolServer>,
}

impl HookEvent for PermissionDenied {
    const NAME: &'static str = "PermissionDenied";
}
