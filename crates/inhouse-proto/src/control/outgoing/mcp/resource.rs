use serde_json::{Map, Value};

use super::super::declare::control_request;
use crate::open::open_struct;

control_request! {
    /// Reads a resource of an MCP server.
    pub struct McpReadResource("mcp_read_resource") -> McpReadResourceReply
    requires {
        /// The server.
        server_name as "serverName": String = impl Into<String>,
        /// The resource; only `ui://` is allowed.
        uri: String = impl Into<String>,
    }
}

open_struct! {
    /// The reply to [`McpReadResource`].
    pub struct McpReadResourceReply {
        /// The parts of the resource.
        pub contents: Vec<McpResourceContents>,
    }
}

open_struct! {
    /// A part of a resource: text, or base64.
    pub struct McpResourceContents {
        /// The resource.
        pub uri: String,
        /// What it is.
        pub mime_type as "mimeType": Option<String>,
        /// Its text.
        pub text: Option<String>,
        /// Its bytes in base64, when it is not text.
        pub blob: Option<String>,
        /// What the server attached to it.
        pub meta as "_meta": Option<Map<String, Value>>,
    }
}
