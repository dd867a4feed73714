use std::borrow::Cow;
use std::ops::Range;

use super::Text;
use crate::control::incoming::{Incoming, McpMessage};
use crate::mcp::ToolCall;
use crate::open::Extra;
use crate::wire::{CallText, MessageText, RequestText};

/// What the CLI asks, not decoded yet. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Request {
    body: Text,
    mcp: Option<McpPlace>,
}

/// Where in a request the message for an MCP server stands, and the name of the server.
#[derive(Clone, Copy, Debug)]
struct McpPlace {
    server_name: Place,
    message: Place,
    id: Place,
    method: Place,
    params: Place,
    result: Place,
    error: Place,
    call: Option<CallPlace>,
}

/// Where in a request the parts of a call of a tool stand.
#[derive(Clone, Copy, Debug)]
struct CallPlace {
    name: Place,
    arguments: Place,
    tool_use_id: Place,
    progress_token: Place,
}

/// Where a part of an object's text stands. What ends at its start is absent.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    start: u32,
    end: u32,
}

impl Request {
    pub(super) fn new(line: &Text, request: &RequestText<'_>) -> Self {
        Self {
            body: line.part(request.text),
            mcp: McpPlace::of(request),
        }
    }

    /// The JSON text of the `request` object.
    #[must_use]
    pub fn body(&self) -> &str {
        &self.body
    }

    /// What is asked.
    #[must_use]
    pub fn decode(&self) -> Incoming<'_> {
        match self.mcp_message() {
            Some(message) => Incoming::McpMessage(message),
            None => Incoming::decode(self.body()),
        }
    }

    /// The message for an MCP server, if that is what it is and it has the usual form: then it was
    /// found when the line was read, and this costs next to nothing. [`decode`](Self::decode) finds it
    /// in any form.
    #[must_use]
    pub fn mcp_message(&self) -> Option<McpMessage<'_>> {
        let place = self.mcp.as_ref()?;
        let body = self.body();
        let message = place.message.within(body)?;
        Some(McpMessage {
            server_name: place.server_name.within(body)?.into(),
            message,
            extra: Extra::default(),
            members: Some(MessageText {
                text: message,
                id: place.id.within(body),
                method: place.method.within(body),
                params: place.params.within(body),
                result: place.result.within(body),
                error: place.error.within(body),
                call: None,
            }),
        })
    }

    /// The call of a tool, if that is what it is and it was taken apart when the line was read.
    /// Where it was not, [`ToolCall::parse`] does that.
    #[must_use]
    pub fn tool_call(&self) -> Option<ToolCall<'_>> {
        let place = self.mcp.as_ref()?;
        let (call, body) = (place.call?, self.body());
        ToolCall::of(&CallText {
            text: place.params.within(body)?,
            name: call.name.within(body)?,
            arguments: call.arguments.within(body)?,
            tool_use_id: call.tool_use_id.within(body)?,
            progress_token: call.progress_token.within(body)?,
        })
    }

    /// A part of the [`body`](Self::body) that outlives it, without a copy.
    #[must_use]
    pub fn part(&self, text: &str) -> Text {
        self.body.part(text)
    }
}

impl McpPlace {
    fn of(request: &RequestText<'_>) -> Option<Self> {
        let is_mcp = request.subtype.as_deref() == Some("mcp_message");
        // One with other members is decoded with care, so that they are kept.
        if !is_mcp || request.has_others {
            return None;
        }
        // A text that is too long for a place is decoded with care as well, and an odd name.
        u32::try_from(request.text.len()).ok()?;
        let Some(Cow::Borrowed(server_name)) = request.server_name else {
            return None;
        };
        let place = |part: &str| Place::of(part, request.text);
        let optional = |part: Option<&str>| part.map_or_else(Place::default, place);
        let message = request.message?;
        Some(Self {
            server_name: place(server_name),
            message: place(message.text),
            id: optional(message.id),
            method: optional(message.method),
            params: optional(message.params),
            result: optional(message.result),
            error: optional(message.error),
            call: message.call.map(|call| CallPlace {
                name: place(call.name),
                arguments: place(call.arguments),
                tool_use_id: place(call.tool_use_id),
                progress_token: place(call.progress_token),
            }),
        })
    }
}

impl Place {
    /// Of a part of a text whose length fits.
    fn of(part: &str, text: &str) -> Self {
        let start = part.as_ptr() as usize - text.as_ptr() as usize;
        Self {
            start: start as u32,
            end: (start + part.len()) as u32,
        }
    }

    fn within(self, text: &str) -> Option<&str> {
        let range: Range<usize> = self.start as usize..self.end as usize;
        (range.end != 0).then(|| &text[range])
    }
}
