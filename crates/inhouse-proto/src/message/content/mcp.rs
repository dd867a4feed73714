use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

use super::MessageContent;

/// A call of an MCP tool that the API makes itself.
///
/// Calls to the CLI's MCP servers do not use this block; they are ordinary `tool_use` blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct McpToolUseBlock {
    /// The id of the tool call.
    pub id: String,
    /// Name of the tool that is called.
    pub name: String,
    /// The MCP server that provides the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_name: Option<String>,
    /// The arguments of the call.
    pub input: Value,
}

/// The result of an MCP tool that the API called.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct McpToolResultBlock {
    /// The id of the tool call.
    pub tool_use_id: String,
    /// Whether the call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// The content that the tool returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<MessageContent>,
}

/// The tools of an MCP server that the API is connected to.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct McpToolListingBlock {
    /// Name of the MCP server.
    pub mcp_server_name: String,
    /// The tools of the server.
    pub tools: Vec<McpListedTool>,
}

/// A tool in the listing of an MCP server.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct McpListedTool {
    /// Name of the tool.
    pub name: String,
    /// JSON schema of the tool's arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<Value>,
    /// Description of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}
