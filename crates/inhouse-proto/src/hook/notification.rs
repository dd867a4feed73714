use super::HookCommon;
use serde::Deserialize;

/// Event that fires when the CLI notifies the user.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Notification {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The text of the notification.
    pub message: String,
    /// The title of the notification.
    pub title: Option<String>,
    /// The type of the notification, such as `permission_prompt` or `elicitation_response`.
    pub notification_type: String,
}
