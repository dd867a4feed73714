use inhouse_macros::Open;

/// Something to show to the user for a while.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct NotificationMessage {
    /// Tells notifications apart: a later one with the same key replaces this one.
    pub key: Option<String>,
    /// The text.
    pub text: String,
    /// How urgent it is.
    pub priority: Option<NotificationPriority>,
    /// The color.
    pub color: Option<String>,
    /// Milliseconds for which to show it.
    pub timeout_ms: Option<f64>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// How urgent a notification is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NotificationPriority {
    /// Not at all.
    Low,
    /// A little.
    Medium,
    /// Very.
    High,
    /// It must be shown at once.
    Immediate,
    /// A value that this version does not know.
    Unknown(String),
}

/// Something to show in the conversation.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct InformationalMessage {
    /// The text.
    pub content: String,
    /// How important it is.
    pub level: Option<InformationalLevel>,
    /// The tool call that it is about.
    pub tool_use_id: Option<String>,
    /// Whether it keeps the turn from going on.
    pub prevent_continuation: Option<bool>,
    /// What it is about, by name.
    #[serde(rename = "tag")]
    pub label: Option<String>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// How important a piece of information is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum InformationalLevel {
    /// Good to know.
    Info,
    /// Worth a look.
    Notice,
    /// A proposal.
    Suggestion,
    /// A warning.
    Warning,
    /// A value that this version does not know.
    Unknown(String),
}
