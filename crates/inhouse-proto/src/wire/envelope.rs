use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members by which a line is routed; all others are skipped unparsed.
///
/// One pass over the line. `type` may stand anywhere in the object: the CLI writes it behind
/// `result` in a result frame. The members are kept as raw text, because a member of the wrong
/// kind must not cost the line.
#[derive(Default)]
pub(crate) struct Envelope<'a> {
    pub(crate) kind: Option<&'a RawValue>,
    pub(crate) subtype: Option<&'a RawValue>,
    pub(crate) request_id: Option<&'a RawValue>,
    pub(crate) request: Option<&'a RawValue>,
    pub(crate) response: Option<&'a RawValue>,
    pub(crate) parent_tool_use_id: Option<&'a RawValue>,
    pub(crate) state: Option<&'a RawValue>,
    pub(crate) sdk_host_only: Option<&'a RawValue>,
}

/// The member `response` of a `control_response`.
#[derive(Deserialize)]
pub(crate) struct Reply<'a> {
    #[serde(borrow)]
    pub(crate) subtype: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) request_id: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(crate) response: Option<&'a RawValue>,
    #[serde(default)]
    pub(crate) error: Option<String>,
    #[serde(default)]
    pub(crate) error_code: Option<String>,
    // Requests of the CLI that were open when the host joined; only on the answer to `initialize`.
    #[serde(borrow, default)]
    pub(crate) pending_permission_requests: Option<Vec<&'a RawValue>>,
    #[serde(borrow, default)]
    pub(crate) pending_user_dialog_requests: Option<Vec<&'a RawValue>>,
    #[serde(borrow, default)]
    pub(crate) pending_elicitation_requests: Option<Vec<&'a RawValue>>,
}

/// The text of a raw string; `None` when it is another kind of value.
pub(crate) fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    let quoted = raw.get();
    let inner = quoted.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        return serde_json::from_str::<String>(quoted).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(inner))
}

impl<'de> Deserialize<'de> for Envelope<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EnvelopeVisitor)
    }
}

struct EnvelopeVisitor;

impl<'de> Visitor<'de> for EnvelopeVisitor {
    type Value = Envelope<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Envelope<'de>, A::Error> {
        let mut envelope = Envelope::default();
        while let Some(member) = map.next_key()? {
            let slot = match member {
                Member::Type => &mut envelope.kind,
                Member::Subtype => &mut envelope.subtype,
                Member::RequestId => &mut envelope.request_id,
                Member::Request => &mut envelope.request,
                Member::Response => &mut envelope.response,
                Member::ParentToolUseId => &mut envelope.parent_tool_use_id,
                Member::State => &mut envelope.state,
                Member::SdkHostOnly => &mut envelope.sdk_host_only,
                Member::Other => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *slot = map.next_value()?;
        }
        Ok(envelope)
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Member {
    Type,
    Subtype,
    RequestId,
    Request,
    Response,
    ParentToolUseId,
    State,
    SdkHostOnly,
    #[serde(other)]
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(line: &str) -> Option<String> {
        let envelope: Envelope<'_> = serde_json::from_str(line).ok()?;
        envelope.kind.and_then(text).map(Cow::into_owned)
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
        let envelope: Envelope<'_> =
            serde_json::from_str(r#"{"type":7,"subtype":{},"state":null,"request_id":[]}"#)
                .expect("an object");
        assert!(envelope.kind.and_then(text).is_none());
        assert!(envelope.subtype.and_then(text).is_none());
        assert!(envelope.state.is_none());
    }

    #[test]
    fn what_is_not_an_object_is_no_envelope() {
        for line in ["", "[]", "7", "\"type\"", "{", "{\"type\":}", "hello"] {
            assert!(
                serde_json::from_str::<Envelope<'_>>(line).is_err(),
                "{line}"
            );
        }
    }
}
