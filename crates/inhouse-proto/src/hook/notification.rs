use super::{HookCommon, HookEvent};
use serde::Deserialize;

/// The CLI wants to draw a person's attention.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Notification {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// What it says.
    pub message: String,
    /// Its title.
    pub title: Option<String>,
    /// Its kind, such as `permission_prompt` or `elicitation_response`.
    pub notification_type: String,
}

impl HookEvent for Notification {
    const NAME: &'static str = "Notification";
}
