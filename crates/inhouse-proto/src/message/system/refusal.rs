use inhouse_macros::Open;

/// The model refused and another took over.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ModelRefusalFallbackMessage {
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

/// The model refused and no other took over.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ModelRefusalNoFallbackMessage {
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

/// What a switch of models is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RefusalDirection {
    /// To try the same prompt again.
    Retry,
    /// Older CLIs: to go back to the first model.
    Revert,
    /// Older CLIs: to stay with the second model.
    Sticky,
    /// A value that this version does not know.
    Unknown(String),
}

/// How far a switch of models goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RefusalScope {
    /// The whole session.
    Session,
    /// Only here.
    Local,
    /// A value that this version does not know.
    Unknown(String),
}
