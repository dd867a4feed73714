use super::SessionId;
use crate::wire::write_string;

/// Returns the entry that gives a session a title, without a line break.
///
/// The last such entry of a transcript is in effect.
///
/// ```
/// use inhouse_proto::session::{SessionId, title_entry};
///
/// let id = SessionId::from_u128(0);
/// assert_eq!(
///     title_entry(&id, "Invoices"),
///     r#"{"type":"custom-title","customTitle":"Invoices","sessionId":"00000000-0000-0000-0000-000000000000"}"#
/// );
/// ```
#[must_use]
pub fn title_entry(session: &SessionId, title: &str) -> String {
    entry("custom-title", "customTitle", title, session)
}

/// Returns the entry that tags a session, without a line break; an empty tag removes the tag.
///
/// The last such entry of a transcript is in effect. Pass the tag through [`sanitize_tag`](super::sanitize_tag) first.
///
/// ```
/// use inhouse_proto::session::{SessionId, tag_entry};
///
/// let id = SessionId::from_u128(0);
/// assert_eq!(
///     tag_entry(&id, ""),
///     r#"{"type":"tag","tag":"","sessionId":"00000000-0000-0000-0000-000000000000"}"#
/// );
/// ```
#[must_use]
pub fn tag_entry(session: &SessionId, tag: &str) -> String {
    entry("tag", "tag", tag, session)
}

/// `type` comes first and without spaces: the Python SDK finds tags by this prefix of the line.
fn entry(kind: &str, member: &str, value: &str, session: &SessionId) -> String {
    let mut json = format!("{{\"type\":\"{kind}\",\"{member}\":").into_bytes();
    write_string(&mut json, value);
    json.extend_from_slice(format!(",\"sessionId\":\"{session}\"}}").as_bytes());
    String::from_utf8(json).expect("JSON of text is text")
}
