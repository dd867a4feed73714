use std::borrow::Cow;

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
    pub(crate) request: Option<&'a str>,
    pub(crate) response: Option<&'a str>,
    pub(crate) parent_tool_use_id: Option<&'a str>,
    pub(crate) sdk_host_only: Option<&'a str>,
}

impl<'a> Envelope<'a> {
    /// Reads a line; `None` when it is not an object.
    pub(crate) fn read(line: &'a str) -> Option<Self> {
        let mut envelope = Self::default();
        let mut skim = Skim::new(line);
        skim.object(|skim, name| {
            match name {
                "type" => envelope.kind = skim.text()?,
                "subtype" => envelope.subtype = skim.text()?,
                "request_id" => envelope.request_id = skim.text()?,
                "state" => envelope.state = skim.text()?,
                "request" => envelope.request = skim.optional()?,
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

    #[test]
    fn what_is_not_an_object_is_no_envelope() {
        for line in ["", "[]", "7", "\"type\"", "{", "{\"type\":}", "hello"] {
            assert!(Envelope::read(line).is_none(), "{line}");
        }
    }
}
