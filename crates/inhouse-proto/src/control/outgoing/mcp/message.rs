use crate::control::ControlRequest;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::control::Empty;

/// Request that carries a JSON-RPC message from a server in the host's process to the CLI.
///
/// Only for messages that the server initiates, such as notifications: responses are sent in the answers to the CLI's
/// own requests. The CLI acknowledges every message, also one that it then drops.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct McpMessage {
    /// Key under which the server was registered.
    pub server_name: String,
    /// The JSON-RPC message as raw JSON.
    pub message: Box<RawValue>,
}

impl McpMessage {
    /// Creates a request that carries a message of the named server.
    #[must_use]
    pub fn new(server_name: impl Into<String>, message: Box<RawValue>) -> Self {
        Self {
            server_name: server_name.into(),
            message,
        }
    }
}

impl ControlRequest for McpMessage {
    const SUBTYPE: &'static str = "mcp_message";
    type Reply = Empty;
}
