use inhouse_macros::Open;

/// Message sent when the model refused and the CLI switched to a fallback model.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ModelRefusalFallbackMessage {
    /// The cause of the switch: `refusal`.
    pub trigger: Option<String>,
    /// Purpose of the switch.
    pub direction: Option<RefusalDirection>,
    /// Scope of the switch. `None` means the whole session.
    pub scope: Option<RefusalScope>,
    /// The model that refused.
    pub original_model: Option<String>,
    /// The model that the CLI switched to.
    pub fallback_model: Option<String>,
    /// The id of the API request that was refused.
    pub request_id: Option<String>,
    /// Category of the refusal. The set of values is open.
    pub api_refusal_category: Option<String>,
    /// Explanation of the refusal.
    pub api_refusal_explanation: Option<String>,
    /// The ids of messages that the host must discard. Discarding a message twice is harmless.
    pub retracted_message_uuids: Option<Vec<String>>,
    /// The id of the prompt that was refused.
    pub refused_user_message_uuid: Option<String>,
    /// Text to show to the user.
    pub content: String,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Message sent when the model refused and there is no fallback model.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ModelRefusalNoFallbackMessage {
    /// The model that refused.
    pub original_model: Option<String>,
    /// The id of the API request that was refused.
    pub request_id: Option<String>,
    /// Category of the refusal. The set of values is open.
    pub api_refusal_category: Option<String>,
    /// Explanation of the refusal.
    pub api_refusal_explanation: Option<String>,
    /// The id of the prompt that was refused.
    pub refused_user_message_uuid: Option<String>,
    /// Text to show to the user.
    pub content: String,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Purpose of a switch to another model.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RefusalDirection {
    /// The prompt is retried with the fallback model.
    Retry,
    /// The session returns to the original model. Sent by older CLIs only.
    Revert,
    /// The session stays with the fallback model. Sent by older CLIs only.
    Sticky,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Scope of a switch to another model.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RefusalScope {
    /// The switch applies to the whole session.
    Session,
    /// The switch applies only to the place where the refusal occurred.
    Local,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
