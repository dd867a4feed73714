use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;
use serde_json::{Map, Value};

/// Request to read a resource of an MCP server.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct McpReadResource {
    /// Name of the MCP server.
    #[serde(rename = "serverName")]
    pub server_name: String,
    /// URI of the resource. The CLI allows only `ui://`.
    pub uri: String,
}

impl McpReadResource {
    /// Creates a request for a resource of the named server.
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

/// The reply to [`McpReadResource`]: the contents of the resource.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct McpReadResourceReply {
    /// Parts of the resource, each text or base64.
    pub contents: Vec<McpResourceContents>,
}

/// One part of a resource, as text or base64.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct McpResourceContents {
    /// URI of the resource.
    pub uri: String,
    /// MIME type of the part.
    #[serde(rename = "mimeType")]
    pub mime_type: Option<String>,
    /// Text of the part; `None` if it is not text.
    pub text: Option<String>,
    /// Bytes of the part in base64; `None` if it is text.
    pub blob: Option<String>,
    /// Metadata that the server attached to the part.
    #[serde(rename = "_meta")]
    pub meta: Option<Map<String, Value>>,
}
