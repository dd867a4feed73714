use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

use super::Content;

/// A call of an MCP tool that the API itself makes.
///
/// Not the way of the CLI's own MCP servers: their calls are ordinary `tool_use` blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct McpToolUseBlock {
    /// The id of the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The server that has the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_name: Option<String>,
    /// The arguments.
    pub input: Value,
}

/// What an MCP tool that the API called returned.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct McpToolResultBlock {
    /// The id of the call.
    pub tool_use_id: String,
    /// Whether the call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// What the tool returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Content>,
}

/// The tools of an MCP server that the API is connected to.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct McpToolListingBlock {
    /// The server.
    pub mcp_server_name: String,
    /// Its tools.
    pub tools: Vec<McpListedTool>,
}

/// One tool in such a listing.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct McpListedTool {
    /// The tool.
    pub name: String,
    /// The JSON schema of its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<Value>,
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}
