use serde_json::Value;

use super::event::hook_event;
use crate::control::PermissionUpdate;
use crate::control::incoming::ToolServer;

hook_event! {
    /// Somebody has to be asked whether a tool may run.
    ///
    /// The CLI asks the permission handler of the host at the same time, and takes the first
    /// decision. For calls that nobody has to be asked about, use [`PreToolUse`](super::PreToolUse).
    pub struct PermissionRequest {
        /// The tool.
        pub tool_name: String,
        /// Its input.
        pub tool_input: Value,
        /// What to answer for "always allow".
        pub permission_suggestions: Option<Vec<PermissionUpdate>>,
        /// The server of an MCP tool.
        pub mcp_server: Option<ToolServer>,
    }
}

hook_event! {
    /// A model that judges tool calls has denied one.
    pub struct PermissionDenied {
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
}
