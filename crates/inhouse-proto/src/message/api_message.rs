use inhouse_macros::Open;
use serde_json::Value;

use super::{ContentBlock, Usage};

/// The message object of the API, as it stands inside of assistant messages and stream events.
///
/// Only the content is certain to be there: other providers, older models, and the messages
/// that the CLI makes up itself leave members out.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ApiMessage {
    /// The API's id of the message. Several assistant messages share it.
    pub id: Option<String>,
    /// The kind of object.
    #[serde(rename = "type")]
    pub kind: Option<ApiMessageKind>,
    /// Who speaks: the assistant.
    pub role: Option<Role>,
    /// The model; `<synthetic>` when the CLI wrote the message itself.
    pub model: Option<String>,
    /// The content.
    pub content: Vec<ContentBlock>,
    /// Why the model stopped; `None` while it has not.
    pub stop_reason: Option<StopReason>,
    /// The sequence at which it stopped.
    pub stop_sequence: Option<String>,
    /// More about a refusal.
    pub stop_details: Option<Box<StopDetails>>,
    /// Tokens; provisional until the whole message is done.
    pub usage: Option<Box<Usage>>,
    /// The container in which the API's tools ran.
    pub container: Option<Box<Container>>,
    /// What the API removed from the context.
    pub context_management: Option<ContextManagement>,
    /// Why the prompt cache was missed.
    pub diagnostics: Option<Diagnostics>,
    /// How the API changed the input before the model saw it.
    pub input_transformations: Option<Vec<Value>>,
}

/// The kind of object that a message of the API is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ApiMessageKind {
    /// A message: so far there is no other kind.
    Message,
    /// A value that this version does not know.
    Unknown(String),
}

/// Who speaks in a message of the API.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// The model.
    Assistant,
    /// The user, or the CLI in the user's place.
    User,
    /// Whoever instructs the model.
    System,
    /// A value that this version does not know.
    Unknown(String),
}

/// Why the model stopped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// It was done.
    EndTurn,
    /// It reached the limit on output tokens.
    MaxTokens,
    /// It wrote a stop sequence.
    StopSequence,
    /// It called a tool.
    ToolUse,
    /// A long turn paused, to be continued.
    PauseTurn,
    /// The conversation was compacted.
    Compaction,
    /// It refused.
    Refusal,
    /// The context window was full.
    ModelContextWindowExceeded,
    /// A value that this version does not know.
    Unknown(String),
}

/// More about a refusal.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct StopDetails {
    /// The kind: `refusal`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// What the refusal was about.
    pub category: Option<RefusalCategory>,
    /// The reason in words.
    pub explanation: Option<String>,
    /// A model that may answer instead.
    pub recommended_model: Option<String>,
    /// Entitles a retry with the other model to a refund.
    pub fallback_credit_token: Option<String>,
    /// Whether that token covers text written before the refusal.
    pub fallback_has_prefill_claim: Option<bool>,
}

/// What a refusal was about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RefusalCategory {
    /// Attacks on computers.
    Cyber,
    /// Biological harm.
    Bio,
    /// Work on large language models themselves.
    FrontierLlm,
    /// Getting at hidden reasoning.
    ReasoningExtraction,
    /// Other harm.
    GeneralHarms,
    /// A value that this version does not know.
    Unknown(String),
}

/// The container in which the API's tools ran.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct Container {
    /// The id, to use the container again.
    pub id: Option<String>,
    /// When it goes away, as an ISO 8601 time.
    pub expires_at: Option<String>,
    /// The skills that were loaded into it.
    pub skills: Option<Vec<Value>>,
}

/// What the API removed from the context by itself.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContextManagement {
    /// The edits.
    pub applied_edits: Option<Vec<Value>>,
}

/// What the API noticed about the request.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct Diagnostics {
    /// Why the prompt cache was missed, as the API gives it.
    pub cache_miss_reason: Option<Value>,
}
