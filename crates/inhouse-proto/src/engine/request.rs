use std::borrow::Cow;
use std::ops::Range;

use bytes::Bytes;

use super::Text;
use crate::control::incoming::{Incoming, McpMessage};
use crate::open::Extra;
use crate::wire::{RequestText, unquote};

/// What the CLI asks, not decoded yet. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Request {
    body: Bytes,
    mcp: Option<McpPlace>,
}

/// Where in a request the message for an MCP server stands, and the name of the server.
#[derive(Clone, Debug)]
struct McpPlace {
    server_name: Range<usize>,
    message: Range<usize>,
}

impl Request {
    pub(super) fn new(line: &Bytes, request: &RequestText<'_>) -> Self {
        Self {
            body: line.slice_ref(request.text.as_bytes()),
            mcp: McpPlace::of(request),
        }
    }

    /// The JSON text of the `request` object.
    #[must_use]
    pub fn body(&self) -> &str {
        std::str::from_utf8(&self.body).expect("the envelope was read as text")
    }

    /// What is asked.
    #[must_use]
    pub fn decode(&self) -> Incoming<'_> {
        match self.mcp_message() {
            Some(message) => Incoming::McpMessage(message),
            None => Incoming::decode(self.body()),
        }
    }

    /// The message for an MCP server, if that is what it is. It was found when the line was read,
    /// so this costs next to nothing.
    #[must_use]
    pub fn mcp_message(&self) -> Option<McpMessage<'_>> {
        let place = self.mcp.as_ref()?;
        let body = self.body();
        Some(McpMessage {
            server_name: unquote(&body[place.server_name.clone()])?,
            message: &body[place.message.clone()],
            extra: Extra::default(),
        })
    }

    /// A part of the [`body`](Self::body) that outlives it, without a copy.
    #[must_use]
    pub fn part(&self, text: &str) -> Text {
        Text::of(&self.body, text)
    }
}

impl McpPlace {
    fn of(request: &RequestText<'_>) -> Option<Self> {
        let is_mcp = request.subtype.and_then(unquote) == Some(Cow::Borrowed("mcp_message"));
        // One with other members is decoded with care, so that they are kept.
        if !is_mcp || request.has_others {
            return None;
        }
        let place = |part: &str| {
            let start = part.as_ptr() as usize - request.text.as_ptr() as usize;
            start..start + part.len()
        };
        Some(Self {
            server_name: place(request.server_name.filter(|name| name.starts_with('"'))?),
            message: place(request.message?),
        })
    }
}
