use inhouse_macros::Open;

/// Reports that a new conversation begins. The totals in later results count from zero again.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ConversationResetMessage {
    /// The id of the new conversation.
    pub new_conversation_id: String,
    /// Reason why the conversation was reset.
    pub trigger: Option<ConversationResetTrigger>,
    /// The id of the prompt that requested the reset.
    pub user_message_uuid: Option<String>,
    /// Time of the reset, in ISO 8601.
    pub timestamp: Option<String>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that ends with the reset.
    pub session_id: Option<String>,
}

/// Reason why a conversation was reset.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ConversationResetTrigger {
    /// The user ran `/clear`.
    Clear,
    /// Plan mode was left with an empty context.
    PlanModeExit,
    /// A new session was requested.
    FreshSession,
    /// The onboarding of a new user finished.
    Onboarding,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
