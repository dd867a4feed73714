use super::{HookCommon, HookEvent};
use serde::Deserialize;

/// Text of the model is about to be shown.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct MessageDisplay {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The turn.
    pub turn_id: String,
    /// The message; not the id that the API gave it.
    pub message_id: String,
    /// Which piece of the message it is.
    pub index: u64,
    /// Whether it is the last.
    #[serde(rename = "final")]
    pub is_final: bool,
    /// The text.
    pub delta: String,
}

impl HookEvent for MessageDisplay {
    const NAME: &'static str = "MessageDisplay";
}
