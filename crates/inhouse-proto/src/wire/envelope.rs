use std::borrow::Cow;

use super::scanner::{Scanner, unquote};
use crate::control::incoming::RequestMembers;

/// The members of a line that are needed to route it: strings, and other values as JSON text.
///
/// Read in one pass, without parsing the other members. `type` may be anywhere in the object: the CLI writes it after
/// `result` in a result. A member of the wrong type is read as absent, and the line is still routed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Envelope<'a> {
    pub(crate) kind: Option<Cow<'a, str>>,
    pub(crate) subtype: Option<Cow<'a, str>>,
    pub(crate) request_id: Option<Cow<'a, str>>,
    pub(crate) state: Option<Cow<'a, str>>,
    pub(crate) request: RequestMembers<'a>,
    pub(crate) response: Option<&'a str>,
    pub(crate) parent_tool_use_id: Option<&'a str>,
    pub(crate) sdk_host_only: Option<&'a str>,
}

impl<'a> Envelope<'a> {
    /// Reads a line into an empty envelope; `None` if the line is not an object.
    ///
    /// In place, because an envelope has 400 bytes, which a returned value would copy twice.
    pub(crate) fn read(&mut self, line: &'a str) -> Option<()> {
        let mut scanner = Scanner::new(line);
        scanner.object(|scanner, name| {
            match name {
                "type" => self.kind = scanner.text()?,
                "subtype" => self.subtype = scanner.text()?,
                "request_id" => self.request_id = scanner.text()?,
                "state" => self.state = scanner.text()?,
                "request" => self.request.read(scanner)?,
                "response" => self.response = scanner.optional()?,
                "parent_tool_use_id" => self.parent_tool_use_id = scanner.optional()?,
                "sdk_host_only" => self.sdk_host_only = scanner.optional()?,
                _ => drop(scanner.value()?),
            }
            Some(())
        })?;
        scanner.end()
    }
}

/// The member `response` of a `control_response`: strings, and other values as JSON text.
///
/// A member of the wrong type is read as absent, so that the reply still completes the request instead of leaving it to
/// time out.
#[derive(Debug, Default)]
pub(crate) struct Reply<'a> {
    pub(crate) subtype: Option<Cow<'a, str>>,
    pub(crate) request_id: Cow<'a, str>,
    pub(crate) response: Option<&'a str>,
    /// Usually a string, but the CLI may send any value.
    pub(crate) error: Option<&'a str>,
    pub(crate) error_code: Option<Cow<'a, str>>,
    /// Requests of the CLI that were open when the host connected: lists of permission requests, dialogs and
    /// elicitations. Only in the reply to `initialize`.
    pub(crate) pending: [Option<&'a str>; 3],
}

impl<'a> Reply<'a> {
    /// Reads a reply; `None` if it is not an object or has no `request_id`.
    pub(crate) fn read(response: &'a str) -> Option<Self> {
        let mut reply = Self::default();
        let mut request_id = None;
        Scanner::new(response).object(|scanner, name| {
            match name {
                "subtype" => reply.subtype = scanner.text()?,
                "request_id" => request_id = scanner.text()?,
                "response" => reply.response = scanner.optional()?,
                "error" => reply.error = Some(scanner.value()?),
                "error_code" => reply.error_code = scanner.text()?,
                "pending_permission_requests" => reply.pending[0] = scanner.optional()?,
                "pending_user_dialog_requests" => reply.pending[1] = scanner.optional()?,
                "pending_elicitation_requests" => reply.pending[2] = scanner.optional()?,
                _ => drop(scanner.value()?),
            }
            Some(())
        })?;
        reply.request_id = request_id?;
        Some(reply)
    }

    /// Returns the reason for an error reply: the text of `error`, or its JSON text if it is not a string.
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

    fn read(line: &str) -> Option<Envelope<'_>> {
        let mut envelope = Envelope::default();
        envelope.read(line).map(|()| envelope)
    }

    fn kind(line: &str) -> Option<String> {
        read(line)?.kind.map(Cow::into_owned)
    }

    #[test]
    fn type_is_found_anywhere_in_the_object() {
        assert_eq!(kind(r#"{"type":"a","x":1}"#).as_deref(), Some("a"));
        assert_eq!(
            kind(r#"{"x":{"type":"b"},"y":["type"],"type":"a"}"#).as_deref(),
            Some("a")
        );
        assert_eq!(kind(r#"{"type":"\u0061"}"#).as_deref(), Some("a"));
    }

    #[test]
    fn members_of_the_wrong_type_are_absent() {
        let line = r#"{"type":7,"subtype":{},"state":null,"request_id":[],"request":7}"#;
        let envelope = read(line).expect("an object");
        assert_eq!(envelope.kind, None);
        assert_eq!(envelope.subtype, None);
        assert_eq!(envelope.state, None);
        assert_eq!(envelope.request_id, None);
    }

    #[test]
    fn only_an_object_has_an_envelope() {
        for line in ["", "[]", "7", "\"type\"", "{", "{\"type\":}", "hello"] {
            assert!(read(line).is_none(), "{line}");
        }
    }
}
