use inhouse_macros::Open;

/// Message with a notification that is to be shown to the user for a limited time.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct NotificationMessage {
    /// The key of the notification. A later notification with the same key replaces this one.
    pub key: Option<String>,
    /// The text of the notification.
    pub text: String,
    /// Urgency of the notification.
    pub priority: Option<NotificationPriority>,
    /// The color of the notification.
    pub color: Option<String>,
    /// Time for which to show the notification, in milliseconds.
    pub timeout_ms: Option<f64>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Urgency of a notification.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NotificationPriority {
    /// The notification is not urgent.
    Low,
    /// The notification is somewhat urgent.
    Medium,
    /// The notification is urgent.
    High,
    /// The notification must be shown at once.
    Immediate,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Message with a text that is to be shown in the conversation.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct InformationalMessage {
    /// The text of the message.
    pub content: String,
    /// Importance of the message.
    pub level: Option<InformationalLevel>,
    /// The tool call that the message is about.
    pub tool_use_id: Option<String>,
    /// Whether the turn does not continue after this message, as when a hook blocked the prompt.
    pub prevent_continuation: Option<bool>,
    /// Topic of the message as a fixed name, such as `hook_callback_failed`.
    #[serde(rename = "tag")]
    pub label: Option<String>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Importance of an informational message.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum InformationalLevel {
    /// The message is for information only.
    Info,
    /// The message deserves attention.
    Notice,
    /// The message proposes an action.
    Suggestion,
    /// The message reports a problem.
    Warning,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
