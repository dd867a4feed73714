use inhouse_macros::Open;
use serde_json::Value;

/// How near the CLI is to compacting the conversation by itself.
///
/// Not part of the CLI's declared messages: its value has no known shape.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct AutocompactStateMessage {
    /// The state, as the CLI gives it.
    pub value: Option<Value>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}
