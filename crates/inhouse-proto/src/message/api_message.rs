use inhouse_macros::Open;
use serde_json::Value;

use super::{ContentBlock, Usage};

/// The message object of the API, as contained in assistant messages and stream events.
///
/// Only `content` is always present: other providers, older models, and the messages that the CLI generates itself
/// omit members.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ApiMessage {
    /// The API's id of the message. Several assistant messages share it.
    pub id: Option<String>,
    /// The kind of API object; always a message so far.
    #[serde(rename = "type")]
    pub kind: Option<ApiMessageKind>,
    /// The author of the message: the assistant.
    pub role: Option<Role>,
    /// The model that wrote the message; `<synthetic>` if the CLI generated it.
    pub model: Option<String>,
    /// The content blocks of the message.
    pub content: Vec<ContentBlock>,
    /// Reason why the model stopped; `None` while it is still writing.
    pub stop_reason: Option<StopReason>,
    /// The stop sequence that the model wrote, if it stopped at one.
    pub stop_sequence: Option<String>,
    /// Details of a refusal; `None` unless the model refused.
    pub stop_details: Option<Box<StopDetails>>,
    /// Token counts; provisional until the whole message is finished.
    pub usage: Option<Box<Usage>>,
    /// The container in which the API ran its tools, if it ran any there.
    pub container: Option<Box<Container>>,
    /// Edits by which the API removed content from the context.
    pub context_management: Option<ContextManagement>,
    /// Diagnostics of the request, such as the reason for a prompt cache miss.
    pub diagnostics: Option<Diagnostics>,
    /// Changes that the API made to the input before the model received it.
    pub input_transformations: Option<Vec<Value>>,
}

/// The kind of API object that a message is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ApiMessageKind {
    /// A message. No other kind exists so far.
    Message,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// The author of a message of the API.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// The model wrote the message.
    Assistant,
    /// The user wrote the message, or the CLI did on the user's side.
    User,
    /// The message contains system instructions for the model.
    System,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Reason why the model stopped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// The model finished its answer.
    EndTurn,
    /// The limit on output tokens was reached.
    MaxTokens,
    /// The model wrote a stop sequence.
    StopSequence,
    /// The model called a tool.
    ToolUse,
    /// The API paused a long turn, which is to be continued.
    PauseTurn,
    /// The conversation was compacted.
    Compaction,
    /// The model refused to answer.
    Refusal,
    /// The context window of the model was full.
    ModelContextWindowExceeded,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Details of a refusal.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct StopDetails {
    /// The kind of details, `refusal`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The category of harm that the refusal is about.
    pub category: Option<RefusalCategory>,
    /// Explanation of the refusal as text.
    pub explanation: Option<String>,
    /// The model that the API recommends for a retry.
    pub recommended_model: Option<String>,
    /// The token that entitles a retry with another model to a refund.
    pub fallback_credit_token: Option<String>,
    /// Whether the fallback credit token covers text that was written before the refusal.
    pub fallback_has_prefill_claim: Option<bool>,
}

/// The category of harm that a refusal is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RefusalCategory {
    /// The request concerned attacks on computer systems.
    Cyber,
    /// The request concerned biological harm.
    Bio,
    /// The request concerned the development of large language models.
    FrontierLlm,
    /// The request tried to extract hidden reasoning.
    ReasoningExtraction,
    /// The request concerned another kind of harm.
    GeneralHarms,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// The container in which the API ran its tools.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct Container {
    /// The id of the container, by which it can be used again.
    pub id: Option<String>,
    /// Time at which the container expires, in ISO 8601.
    pub expires_at: Option<String>,
    /// The skills that were loaded into the container.
    pub skills: Option<Vec<Value>>,
}

/// Edits by which the API removed content from the context.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContextManagement {
    /// The edits that were applied, in the API's format.
    pub applied_edits: Option<Vec<Value>>,
}

/// Diagnostics that the API reports for a request.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct Diagnostics {
    /// Reason why the prompt cache was missed, in the API's format.
    pub cache_miss_reason: Option<Value>,
}
