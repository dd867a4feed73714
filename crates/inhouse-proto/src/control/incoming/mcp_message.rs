use crate::mcp::ToolCall;
use crate::wire::Text;

/// A JSON-RPC message for an MCP server in this process.
///
/// The answer is `{"mcp_response": …}` with the server's response. A message that has no response (a notification, or a
/// response to a request of the server) must be acknowledged all the same: the CLI waits for it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct McpMessage {
    /// The key under which the server was registered.
    pub server_name: Text,
    /// The message as JSON text.
    pub message: Text,
}

/// A call of a tool of an MCP server in this process.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolCallRequest {
    /// The key under which the server was registered.
    pub server_name: Text,
    /// The JSON-RPC id, as JSON text.
    pub id: Text,
    /// The parameters of `tools/call`, as JSON text.
    pub params: Text,
    /// The same parameters, one by one.
    pub call: ToolCall,
}
