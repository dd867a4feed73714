use inhouse_macros::Open;

/// The conversation starts anew; the totals on later results count from zero again.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ConversationResetMessage {
    /// The conversation that begins.
    pub new_conversation_id: String,
    /// Why.
    pub trigger: Option<ConversationResetTrigger>,
    /// The prompt that asked for it.
    pub user_message_uuid: Option<String>,
    /// When, as an ISO 8601 time.
    pub timestamp: Option<String>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that ends.
    pub session_id: Option<String>,
}

/// Why a conversation starts anew.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ConversationResetTrigger {
    /// `/clear`.
    Clear,
    /// Plan mode was left with a fresh context.
    PlanModeExit,
    /// A fresh session was asked for.
    FreshSession,
    /// The first steps of a new user are over.
    Onboarding,
    /// A value that this version does not know.
    Unknown(String),
}
