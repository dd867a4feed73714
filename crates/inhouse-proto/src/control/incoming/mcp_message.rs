use crate::mcp::ToolCall;
use crate::wire::Text;

/// A JSON-RPC message (`mcp_message`) for an MCP server in the host process.
///
/// The answer is `{"mcp_response": …}` with the server's response. Messages without a response (notifications, and
/// responses to requests of the server) must be acknowledged too, because the CLI waits for an answer to each of them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct McpMessageRequest {
    /// The key under which the host registered the server.
    pub server_name: Text,
    /// The JSON-RPC message as JSON text.
    pub message: Text,
}

/// A call to a tool of an MCP server in the host process.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolCallRequest {
    /// The key under which the host registered the server.
    pub server_name: Text,
    /// The JSON-RPC id, as JSON text.
    pub id: Text,
    /// The parameters of `tools/call`, as JSON text.
    pub params: Text,
    /// The decoded parameters of `tools/call`.
    pub call: ToolCall,
}
