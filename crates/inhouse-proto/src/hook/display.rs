use super::HookCommon;
use serde::Deserialize;

/// Event that fires before a text of the model is shown.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct MessageDisplay {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The id of the turn.
    pub turn_id: String,
    /// The id of the message. It differs from the id that the API assigned to the message.
    pub message_id: String,
    /// Index of this piece of text within the message.
    pub index: u64,
    /// Whether this is the last piece of the message.
    #[serde(rename = "final")]
    pub is_final: bool,
    /// Text of this piece.
    pub delta: String,
}
