use inhouse_macros::Open;

/// Token counts of the API.
///
/// The counts of an assistant message are provisional. Those of a [`ResultMessage`](super::ResultMessage) are final
/// and cover the main loop of that turn.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct Usage {
    /// Number of input tokens, without those that were read from or written to the prompt cache.
    pub input_tokens: Option<u64>,
    /// Number of output tokens.
    pub output_tokens: Option<u64>,
    /// Number of input tokens that were written to the prompt cache.
    pub cache_creation_input_tokens: Option<u64>,
    /// Number of input tokens that were read from the prompt cache.
    pub cache_read_input_tokens: Option<u64>,
    /// Number of tokens that were written to the prompt cache, by lifetime.
    pub cache_creation: Option<CacheCreation>,
    /// Breakdown of the output tokens.
    pub output_tokens_details: Option<OutputTokensDetails>,
    /// Number of calls of tools that run at the API.
    pub server_tool_use: Option<ServerToolUsage>,
    /// The tier that served the request.
    pub service_tier: Option<ServiceTier>,
    /// The speed at which the request was served.
    pub speed: Option<Speed>,
    /// The region in which the model ran.
    pub inference_geo: Option<String>,
    /// The steps that the answer consists of.
    pub iterations: Option<Vec<UsageIteration>>,
    /// The refund after a refusal.
    pub fallback_credit: Option<FallbackCredit>,
}

/// Number of tokens that were written to the prompt cache, by lifetime.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct CacheCreation {
    /// Number of tokens that were written for five minutes.
    pub ephemeral_5m_input_tokens: Option<u64>,
    /// Number of tokens that were written for one hour.
    pub ephemeral_1h_input_tokens: Option<u64>,
}

/// Breakdown of the output tokens.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct OutputTokensDetails {
    /// Number of reasoning tokens.
    pub thinking_tokens: Option<u64>,
}

/// Number of calls of tools that run at the API.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ServerToolUsage {
    /// Number of web searches.
    pub web_search_requests: Option<u64>,
    /// Number of web pages that were fetched.
    pub web_fetch_requests: Option<u64>,
}

/// The tier that served a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ServiceTier {
    /// The request was served at the standard tier.
    Standard,
    /// The request was served from reserved capacity.
    Priority,
    /// The request was served as part of a batch.
    Batch,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// The speed at which a request was served.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Speed {
    /// The request was served at standard speed.
    Standard,
    /// The request was served in fast mode.
    Fast,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Token counts of one step of an answer.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct UsageIteration {
    /// The kind of step.
    #[serde(rename = "type")]
    pub kind: Option<UsageIterationKind>,
    /// The model that ran the step; `None` for compactions.
    pub model: Option<String>,
    /// Number of input tokens.
    pub input_tokens: Option<u64>,
    /// Number of output tokens.
    pub output_tokens: Option<u64>,
    /// Number of input tokens that were written to the prompt cache.
    pub cache_creation_input_tokens: Option<u64>,
    /// Number of input tokens that were read from the prompt cache.
    pub cache_read_input_tokens: Option<u64>,
    /// Number of tokens that were written to the prompt cache, by lifetime.
    pub cache_creation: Option<CacheCreation>,
}

/// The kind of a step of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UsageIterationKind {
    /// The model wrote a message.
    Message,
    /// The conversation was compacted.
    Compaction,
    /// The advisor model wrote a message.
    AdvisorMessage,
    /// Another model wrote a message after a refusal.
    FallbackMessage,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// The refund after a refusal.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct FallbackCredit {
    /// Status of the refund.
    pub status: Option<String>,
}
