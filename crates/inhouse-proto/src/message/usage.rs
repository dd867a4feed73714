use inhouse_macros::Open;

/// Tokens that the API counted.
///
/// On an assistant message the figures are provisional; those of a
/// [`ResultMessage`](super::ResultMessage) are final, for the main loop of that turn.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens read, without those that the cache served or stored.
    pub input_tokens: Option<u64>,
    /// Tokens written.
    pub output_tokens: Option<u64>,
    /// Tokens stored in the cache.
    pub cache_creation_input_tokens: Option<u64>,
    /// Tokens served from the cache.
    pub cache_read_input_tokens: Option<u64>,
    /// Tokens stored in the cache, by lifetime.
    pub cache_creation: Option<CacheCreation>,
    /// What the written tokens were.
    pub output_tokens_details: Option<OutputTokensDetails>,
    /// Calls of tools at the API.
    pub server_tool_use: Option<ServerToolUsage>,
    /// The tier that served the request.
    pub service_tier: Option<ServiceTier>,
    /// The speed at which it was served.
    pub speed: Option<Speed>,
    /// Where the model ran.
    pub inference_geo: Option<String>,
    /// The steps behind one answer.
    pub iterations: Option<Vec<UsageIteration>>,
    /// A refund after a refusal.
    pub fallback_credit: Option<FallbackCredit>,
}

/// Tokens stored in the cache, by lifetime.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct CacheCreation {
    /// For five minutes.
    pub ephemeral_5m_input_tokens: Option<u64>,
    /// For one hour.
    pub ephemeral_1h_input_tokens: Option<u64>,
}

/// What the written tokens were.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct OutputTokensDetails {
    /// Reasoning.
    pub thinking_tokens: Option<u64>,
}

/// Calls of tools at the API.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ServerToolUsage {
    /// Web searches.
    pub web_search_requests: Option<u64>,
    /// Web pages.
    pub web_fetch_requests: Option<u64>,
}

/// The tier that served a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ServiceTier {
    /// The usual one.
    Standard,
    /// Reserved capacity.
    Priority,
    /// Batches.
    Batch,
    /// A value that this version does not know.
    Unknown(String),
}

/// The speed at which a request was served.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Speed {
    /// The usual one.
    Standard,
    /// Fast mode.
    Fast,
    /// A value that this version does not know.
    Unknown(String),
}

/// One step behind an answer.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct UsageIteration {
    /// What the step was.
    #[serde(rename = "type")]
    pub kind: Option<UsageIterationKind>,
    /// The model; not on compactions.
    pub model: Option<String>,
    /// Tokens read.
    pub input_tokens: Option<u64>,
    /// Tokens written.
    pub output_tokens: Option<u64>,
    /// Tokens stored in the cache.
    pub cache_creation_input_tokens: Option<u64>,
    /// Tokens served from the cache.
    pub cache_read_input_tokens: Option<u64>,
    /// Tokens stored in the cache, by lifetime.
    pub cache_creation: Option<CacheCreation>,
}

/// The steps behind an answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UsageIterationKind {
    /// The model wrote.
    Message,
    /// The conversation was compacted.
    Compaction,
    /// The advisor wrote.
    AdvisorMessage,
    /// Another model wrote after a refusal.
    FallbackMessage,
    /// A value that this version does not know.
    Unknown(String),
}

/// A refund after a refusal.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct FallbackCredit {
    /// What became of it.
    pub status: Option<String>,
}
