use crate::control::ControlRequest;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::control::Empty;

/// Carries a JSON-RPC message from a server in the host's process to the CLI.
///
/// Only for what the server starts, such as a notification: its answers travel as answers to the
/// CLI's own requests. The CLI acknowledges every message, also one that it then drops.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct McpMessage {
    /// The key under which the server was registered.
    pub server_name: String,
    /// The message.
    pub message: Box<RawValue>,
}

impl McpMessage {
    /// A message from a server.
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
