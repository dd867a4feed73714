use crate::open::{open_enum, open_struct};

open_struct! {
    /// Something to show to the user for a while.
    pub struct NotificationMessage ["type" = "system", "subtype" = "notification"] {
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
}

open_enum! {
    /// How urgent a notification is.
    pub enum NotificationPriority {
        /// Not at all.
        Low = "low",
        /// A little.
        Medium = "medium",
        /// Very.
        High = "high",
        /// It must be shown at once.
        Immediate = "immediate",
    }
}

open_struct! {
    /// Something to show in the conversation.
    pub struct InformationalMessage ["type" = "system", "subtype" = "informational"] {
        /// The text.
        pub content: String,
        /// How important it is.
        pub level: Option<InformationalLevel>,
        /// The tool call that it is about.
        pub tool_use_id: Option<String>,
        /// Whether it keeps the turn from going on.
        pub prevent_continuation: Option<bool>,
        /// What it is about, by name.
        pub label as "tag": Option<String>,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// How important a piece of information is.
    pub enum InformationalLevel {
        /// Good to know.
        Info = "info",
        /// Worth a look.
        Notice = "notice",
        /// A proposal.
        Suggestion = "suggestion",
        /// A warning.
        Warning = "warning",
    }
}
