use std::borrow::Cow;

use super::glance::{self, CallText};
use super::skim::{Skim, unquote};

/// The members by which a line is routed: strings, and the text of other values. All others are
/// passed over.
///
/// One pass over the line. `type` may stand anywhere in the object: the CLI writes it behind
/// `result` in a result frame. A member of the wrong kind does not cost the line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Envelope<'a> {
    pub(crate) kind: Option<Cow<'a, str>>,
    pub(crate) subtype: Option<Cow<'a, str>>,
    pub(crate) request_id: Option<Cow<'a, str>>,
    pub(crate) state: Option<Cow<'a, str>>,
    pub(crate) request: Option<RequestText<'a>>,
    pub(crate) response: Option<&'a str>,
    pub(crate) parent_tool_use_id: Option<&'a str>,
    pub(crate) sdk_host_only: Option<&'a str>,
}

/// The member `request` of a `control_request`, and where it is taken apart next.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct RequestText<'a> {
    pub(crate) text: &'a str,
    pub(crate) subtype: Option<Cow<'a, str>>,
    pub(crate) server_name: Option<Cow<'a, str>>,
    pub(crate) message: Option<MessageText<'a>>,
    /// Whether there are members beside these.
    pub(crate) has_others: bool,
}

impl<'a> Envelope<'a> {
    /// Reads a line; `None` when it is not an object.
    pub(crate) fn read(line: &'a str) -> Option<Self> {
        glance::envelope(line).or_else(|| Self::read_members(line))
    }

    fn read_members(line: &'a str) -> Option<Self> {
        let mut envelope = Self::default();
        let mut skim = Skim::new(line);
        skim.object(|skim, name| {
            match name {
                "type" => envelope.kind = skim.text()?,
                "subtype" => envelope.subtype = skim.text()?,
                "request_id" => envelope.request_id = skim.text()?,
                "state" => envelope.state = skim.text()?,
                "request" => envelope.request = RequestText::read(skim)?,
                "response" => envelope.response = skim.optional()?,
                "parent_tool_use_id" => envelope.parent_tool_use_id = skim.optional()?,
                "sdk_host_only" => envelope.sdk_host_only = skim.optional()?,
                _ => drop(skim.value()?),
            }
            Some(())
        })?;
        skim.end()?;
        Some(envelope)
    }
}

impl<'a> RequestText<'a> {
    fn read(skim: &mut Skim<'a>) -> Option<Option<Self>> {
        if skim.peek()? != b'{' {
            let other = |text| Self {
                text,
                ..Self::default()
            };
            return Some(skim.optional()?.map(other));
        }
        let mut request = Self::default();
        request.text = skim.object_text(|skim, name| {
            match name {
                "subtype" => request.subtype = skim.text()?,
                "server_name" => request.server_name = skim.text()?,
                "message" => request.message = MessageText::read(skim)?,
                _ => {
                    request.has_others = true;
                    skim.value()?;
                }
            }
            Some(())
        })?;
        Some(Some(request))
    }
}

/// A JSON-RPC message, and its members as text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MessageText<'a> {
    pub(crate) text: &'a str,
    pub(crate) id: Option<&'a str>,
    pub(crate) method: Option<&'a str>,
    pub(crate) params: Option<&'a str>,
    pub(crate) result: Option<&'a str>,
    pub(crate) error: Option<&'a str>,
    /// The parameters in parts, where they were taken apart on the way.
    pub(crate) call: Option<CallText<'a>>,
}

impl<'a> MessageText<'a> {
    /// Goes past a message; `Some(None)` when it is `null`.
    pub(crate) fn read(skim: &mut Skim<'a>) -> Option<Option<Self>> {
        if skim.peek()? != b'{' {
            let other = |text| Self {
                text,
                ..Self::default()
            };
            return Some(skim.optional()?.map(other));
        }
        let mut message = Self::default();
        message.text = skim.object_text(|skim, name| {
            let slot = match name {
                "id" => &mut message.id,
                "method" => &mut message.method,
                "params" => &mut message.params,
                "result" => &mut message.result,
                "error" => &mut message.error,
                _ => return skim.value().map(drop),
            };
            *slot = skim.optional()?;
            Some(())
        })?;
        Some(Some(message))
    }
}

/// The member `response` of a `control_response`: strings, and the text of other values.
///
/// A member of the wrong kind does not cost the reply, so the waiting call fails at once.
#[derive(Debug, Default)]
pub(crate) struct Reply<'a> {
    pub(crate) subtype: Option<Cow<'a, str>>,
    pub(crate) request_id: Cow<'a, str>,
    pub(crate) response: Option<&'a str>,
    /// A string as a rule; CLIs are free to put anything here.
    pub(crate) error: Option<&'a str>,
    pub(crate) error_code: Option<Cow<'a, str>>,
    /// Lists of requests of the CLI that were open when the host joined: permissions, dialogs,
    /// elicitations. Only on the answer to `initialize`.
    pub(crate) pending: [Option<&'a str>; 3],
}

impl<'a> Reply<'a> {
    /// Reads a reply; `None` when it is not an object or does not name its request.
    pub(crate) fn read(response: &'a str) -> Option<Self> {
        let mut reply = Self::default();
        let mut request_id = None;
        Skim::new(response).object(|skim, name| {
            match name {
                "subtype" => reply.subtype = skim.text()?,
                "request_id" => request_id = skim.text()?,
                "response" => reply.response = skim.optional()?,
                "error" => reply.error = Some(skim.value()?),
                "error_code" => reply.error_code = skim.text()?,
                "pending_permission_requests" => reply.pending[0] = skim.optional()?,
                "pending_user_dialog_requests" => reply.pending[1] = skim.optional()?,
                "pending_elicitation_requests" => reply.pending[2] = skim.optional()?,
                _ => drop(skim.value()?),
            }
            Some(())
        })?;
        reply.request_id = request_id?;
        Some(reply)
    }

    /// Returns why the CLI refused: the text of `error`, or its JSON where it is not a string.
    pub(crate) fn refusal(&self) -> Cow<'a, str> {
        match self.error {
            Some(error) => unquote(error).unwrap_or(Cow::Borrowed(error)),
            None => Cow::Borrowed("it gave no reason"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(line: &str) -> Option<String> {
        Envelope::read(line)?.kind.map(Cow::into_owned)
    }

    #[test]
    fn the_type_may_stand_anywhere() {
        assert_eq!(kind(r#"{"type":"a","x":1}"#).as_deref(), Some("a"));
        assert_eq!(
            kind(r#"{"x":{"type":"b"},"y":["type"],"type":"a"}"#).as_deref(),
            Some("a")
        );
        assert_eq!(kind(r#"{"type":"\u0061"}"#).as_deref(), Some("a"));
    }

    #[test]
    fn members_of_another_kind_do_not_cost_the_line() {
        let line = r#"{"type":7,"subtype":{},"state":null,"request_id":[],"request":7}"#;
        let envelope = Envelope::read(line).expect("an object");
        assert_eq!(envelope.kind, None);
        assert_eq!(envelope.subtype, None);
        assert_eq!(envelope.state, None);
        assert_eq!(envelope.request_id, None);
    }

    /// Without what only a glance finds.
    fn glanced(line: &str) -> Option<Envelope<'_>> {
        let mut envelope = glance::envelope(line)?;
        let message = envelope.request.as_mut()?.message.as_mut()?;
        message.call.take()?;
        Some(envelope)
    }

    #[test]
    fn a_line_that_is_read_at_a_glance_says_the_same_member_by_member() {
        let recordings = [
            include_str!("../../fixtures/2.1.325/mcp_in_process.out.jsonl"),
            include_str!("../../fixtures/2.1.197/mcp_in_process.out.jsonl"),
        ];
        for recording in recordings {
            let is_call = |line: &&str| line.contains(r#""method":"tools/call""#);
            let line = recording.lines().find(is_call).expect("a call");
            let envelope = glanced(line).expect("the form in which the CLI writes");
            assert_eq!(Some(envelope), Envelope::read_members(line));
            // Whatever is changed about it, both say the same, or the first says nothing.
            for (at, byte) in line.bytes().enumerate() {
                for other in [b'"', b'\\', b'{', b'}', b',', b' ', b'x', b'7'] {
                    let mut changed = line.as_bytes().to_vec();
                    changed[at] = other;
                    let changed = String::from_utf8(changed).expect("all of it is ASCII");
                    if let Some(envelope) = glanced(&changed) {
                        let members = Envelope::read_members(&changed);
                        assert_eq!(Some(envelope), members, "{byte} at {at}: {changed}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_not_an_object_is_no_envelope() {
        for line in ["", "[]", "7", "\"type\"", "{", "{\"type\":}", "hello"] {
            assert!(Envelope::read(line).is_none(), "{line}");
        }
    }
}
