use crate::open::{open_enum, open_struct};

open_struct! {
    /// The conversation starts anew; the totals on later results count from zero again.
    pub struct ConversationResetMessage ["type" = "conversation_reset"] {
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
}

open_enum! {
    /// Why a conversation starts anew.
    pub enum ConversationResetTrigger {
        /// `/clear`.
        Clear = "clear",
        /// Plan mode was left with a fresh context.
        PlanModeExit = "plan_mode_exit",
        /// A fresh session was asked for.
        FreshSession = "fresh_session",
        /// The first steps of a new user are over.
        Onboarding = "onboarding",
    }
}
