use crate::open::{open_enum, open_struct};

open_struct! {
    /// The model refused and another took over.
    pub struct ModelRefusalFallbackMessage
        ["type" = "system", "subtype" = "model_refusal_fallback"]
    {
        /// What made it happen: `refusal`.
        pub trigger: Option<String>,
        /// What the switch is for.
        pub direction: Option<RefusalDirection>,
        /// How far the switch goes; the session when absent.
        pub scope: Option<RefusalScope>,
        /// The model that refused.
        pub original_model: Option<String>,
        /// The model that took over.
        pub fallback_model: Option<String>,
        /// The API request that was refused.
        pub request_id: Option<String>,
        /// What the refusal was about; more values may come.
        pub api_refusal_category: Option<String>,
        /// The reason in words.
        pub api_refusal_explanation: Option<String>,
        /// Messages to forget; harmless when that is done twice.
        pub retracted_message_uuids: Option<Vec<String>>,
        /// The prompt that was refused.
        pub refused_user_message_uuid: Option<String>,
        /// What to tell the user.
        pub content: String,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}

open_struct! {
    /// The model refused and no other took over.
    pub struct ModelRefusalNoFallbackMessage
        ["type" = "system", "subtype" = "model_refusal_no_fallback"]
    {
        /// The model that refused.
        pub original_model: Option<String>,
        /// The API request that was refused.
        pub request_id: Option<String>,
        /// What the refusal was about; more values may come.
        pub api_refusal_category: Option<String>,
        /// The reason in words.
        pub api_refusal_explanation: Option<String>,
        /// The prompt that was refused.
        pub refused_user_message_uuid: Option<String>,
        /// What to tell the user.
        pub content: String,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// What a switch of models is for.
    pub enum RefusalDirection {
        /// To try the same prompt again.
        Retry = "retry",
        /// Older CLIs: to go back to the first model.
        Revert = "revert",
        /// Older CLIs: to stay with the second model.
        Sticky = "sticky",
    }
}

open_enum! {
    /// How far a switch of models goes.
    pub enum RefusalScope {
        /// The whole session.
        Session = "session",
        /// Only here.
        Local = "local",
    }
}
