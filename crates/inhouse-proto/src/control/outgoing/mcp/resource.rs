use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;
use serde_json::{Map, Value};

/// Reads a resource of an MCP server.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct McpReadResource {
    /// The server.
    #[serde(rename = "serverName")]
    pub server_name: String,
    /// The resource; only `ui://` is allowed.
    pub uri: String,
}

impl McpReadResource {
    /// Creates the request.
    #[must_use]
    pub fn new(server_name: impl Into<String>, uri: impl Into<String>) -> Self {
        Self {
            server_name: server_name.into(),
            uri: uri.into(),
        }
    }
}

impl ControlRequest for McpReadResource {
    const SUBTYPE: &'static str = "mcp_read_resource";
    type Reply = McpReadResourceReply;
}

/// The reply to [`McpReadResource`].
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct McpReadResourceReply {
    /// The parts of the resource.
    pub contents: Vec<McpResourceContents>,
}

/// A part of a resource: text, or base64.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct McpResourceContents {
    /// The resource.
    pub uri: String,
    /// What it is.
    #[serde(rename = "mimeType")]
    pub mime_type: Option<String>,
    /// Its text.
    pub text: Option<String>,
    /// Its bytes in base64, when it is not text.
    pub blob: Option<String>,
    /// What the server attached to it.
    #[serde(rename = "_meta")]
    pub meta: Option<Map<String, Value>>,
}
