use std::borrow::Cow;
use std::ops::Range;

use bytes::Bytes;

use super::Text;
use crate::control::incoming::{Incoming, McpMessage};
use crate::open::Extra;
use crate::wire::{MessageText, RequestText, unquote};

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
    id: Option<Range<usize>>,
    method: Option<Range<usize>>,
    params: Option<Range<usize>>,
    result: Option<Range<usize>>,
    error: Option<Range<usize>>,
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
        let part = |place: &Option<Range<usize>>| place.clone().map(|place| &body[place]);
        let message = &body[place.message.clone()];
        Some(McpMessage {
            server_name: unquote(&body[place.server_name.clone()])?,
            message,
            extra: Extra::default(),
            members: Some(MessageText {
                text: message,
                id: part(&place.id),
                method: part(&place.method),
                params: part(&place.params),
                result: part(&place.result),
                error: part(&place.error),
            }),
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
        let message = request.message?;
        Some(Self {
            server_name: place(request.server_name.filter(|name| name.starts_with('"'))?),
            message: place(message.text),
            id: message.id.map(place),
            method: message.method.map(place),
            params: message.params.map(place),
            result: message.result.map(place),
            error: message.error.map(place),
        })
    }
}
