use inhouse_macros::Open;
use serde_json::Value;

/// Reports how close the conversation is to automatic compaction.
///
/// Not in the official SDK's types; the shape of the value is not known.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct AutocompactStateMessage {
    /// The state, as the CLI sends it.
    pub value: Option<Value>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}
