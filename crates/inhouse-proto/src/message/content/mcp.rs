use serde_json::Value;

use super::Content;
use crate::open::open_struct;

open_struct! {
    /// A call of an MCP tool that the API itself makes.
    ///
    /// Not the way of the CLI's own MCP servers: their calls are ordinary `tool_use` blocks.
    pub struct McpToolUseBlock ["type" = "mcp_tool_use"] {
        /// The id of the call.
        pub id: String,
        /// The tool.
        pub name: String,
        /// The server that has the tool.
        pub server_name: Option<String>,
        /// The arguments.
        pub input: Value,
    }
}

open_struct! {
    /// What an MCP tool that the API called returned.
    pub struct McpToolResultBlock ["type" = "mcp_tool_result"] {
        /// The id of the call.
        pub tool_use_id: String,
        /// Whether the call failed.
        pub is_error: Option<bool>,
        /// What the tool returned.
        pub content: Option<Content>,
    }
}

open_struct! {
    /// The tools of an MCP server that the API is connected to.
    pub struct McpToolListingBlock ["type" = "mcp_tool_listing"] {
        /// The server.
        pub mcp_server_name: String,
        /// Its tools.
        pub tools: Vec<McpListedTool>,
    }
}

open_struct! {
    /// One tool in such a listing.
    pub struct McpListedTool {
        /// The tool.
        pub name: String,
        /// The JSON schema of its arguments.
        pub input_schema: Option<Value>,
        /// What it does.
        pub description: Option<String>,
    }
}
