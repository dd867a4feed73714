use std::borrow::Cow;

use super::Message;

impl Message {
    /// The session to which the message belongs; `None` when it does not say.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        match self {
            Self::Assistant(message) => message.session_id.as_deref(),
            Self::User(message) => message.session_id.as_deref(),
            Self::Result(message) => Some(&message.session_id),
            Self::StreamEvent(message) => message.session_id.as_deref(),
            Self::ToolProgress(message) => message.session_id.as_deref(),
            Self::ToolUseSummary(message) => message.session_id.as_deref(),
            Self::Attachment(message) => message.session_id.as_deref(),
            Self::AuthStatus(message) => message.session_id.as_deref(),
            Self::RateLimit(message) => message.session_id.as_deref(),
            Self::PromptSuggestion(message) => message.session_id.as_deref(),
            Self::ConversationReset(message) => message.session_id.as_deref(),
            Self::ActiveGoal(message) => message.session_id.as_deref(),
            Self::AutocompactState(message) => message.session_id.as_deref(),
            Self::CommandLifecycle(message) => message.session_id.as_deref(),
            Self::System(message) => message.session_id(),
            Self::Gap(_) => None,
            Self::Unknown(unknown) => unknown.raw.get("session_id")?.as_str(),
        }
    }

    /// The id of the message; `None` when it has none.
    #[must_use]
    pub fn uuid(&self) -> Option<&str> {
        match self {
            Self::Assistant(message) => message.uuid.as_deref(),
            Self::User(message) => message.uuid.as_deref(),
            Self::Result(message) => message.uuid.as_deref(),
            Self::StreamEvent(message) => message.uuid.as_deref(),
            Self::ToolProgress(message) => message.uuid.as_deref(),
            Self::ToolUseSummary(message) => message.uuid.as_deref(),
            Self::Attachment(message) => message.uuid.as_deref(),
            Self::AuthStatus(message) => message.uuid.as_deref(),
            Self::RateLimit(message) => message.uuid.as_deref(),
            Self::PromptSuggestion(message) => message.uuid.as_deref(),
            Self::ConversationReset(message) => message.uuid.as_deref(),
            Self::ActiveGoal(message) => message.uuid.as_deref(),
            Self::AutocompactState(message) => message.uuid.as_deref(),
            Self::CommandLifecycle(message) => message.uuid.as_deref(),
            Self::System(message) => message.uuid(),
            Self::Gap(_) => None,
            Self::Unknown(unknown) => unknown.raw.get("uuid")?.as_str(),
        }
    }

    /// The tool call whose subagent the message comes from; `None` on the main thread.
    #[must_use]
    pub fn parent_tool_use_id(&self) -> Option<&str> {
        match self {
            Self::Assistant(message) => message.parent_tool_use_id.as_deref(),
            Self::User(message) => message.parent_tool_use_id.as_deref(),
            Self::StreamEvent(message) => message.parent_tool_use_id.as_deref(),
            Self::ToolProgress(message) => message.parent_tool_use_id.as_deref(),
            Self::Attachment(message) => message.parent_tool_use_id.as_deref(),
            Self::Unknown(unknown) => unknown.raw.get("parent_tool_use_id")?.as_str(),
            _ => None,
        }
    }

    /// The kind of the message as the wire spells it: the `type`, or `type/subtype`.
    ///
    /// ```
    /// use inhouse_proto::message::Message;
    ///
    /// let message = Message::decode(br#"{"type":"system","subtype":"status","status":null}"#)?;
    /// assert_eq!(message.tag(), "system/status");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn tag(&self) -> Cow<'_, str> {
        match self {
            Self::System(message) => format!("system/{}", message.tag()).into(),
            Self::Result(message) => format!("result/{}", message.subtype).into(),
            other => other.kind().into(),
        }
    }
}
