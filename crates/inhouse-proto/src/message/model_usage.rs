use inhouse_macros::Open;

/// Usage of one model since the process started, over all agent loops.
///
/// Use these figures for accounting. They are running totals: take the newest value, never sum over results.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ModelUsage {
    /// Number of input tokens, without those that were read from or written to the prompt cache.
    #[serde(rename = "inputTokens")]
    pub input_tokens: u64,
    /// Number of output tokens.
    #[serde(rename = "outputTokens")]
    pub output_tokens: u64,
    /// Cost in US dollars.
    #[serde(rename = "costUSD")]
    pub cost_usd: f64,
    /// Number of input tokens that were read from the prompt cache.
    #[serde(rename = "cacheReadInputTokens")]
    pub cache_read_input_tokens: Option<u64>,
    /// Number of input tokens that were written to the prompt cache.
    #[serde(rename = "cacheCreationInputTokens")]
    pub cache_creation_input_tokens: Option<u64>,
    /// Number of tokens that were written to the prompt cache for five minutes; part of `cache_creation_input_tokens`.
    #[serde(rename = "cacheCreationEphemeral5mInputTokens")]
    pub cache_creation_ephemeral_5m_input_tokens: Option<u64>,
    /// Number of tokens that were written to the prompt cache for one hour; part of `cache_creation_input_tokens`.
    #[serde(rename = "cacheCreationEphemeral1hInputTokens")]
    pub cache_creation_ephemeral_1h_input_tokens: Option<u64>,
    /// Number of reasoning tokens; part of `output_tokens`.
    #[serde(rename = "thinkingTokens")]
    pub thinking_tokens: Option<u64>,
    /// Number of web searches that ran at the API.
    #[serde(rename = "webSearchRequests")]
    pub web_search_requests: Option<u64>,
    /// Size of the model's context window in tokens.
    #[serde(rename = "contextWindow")]
    pub context_window: Option<u64>,
    /// Maximum number of output tokens per answer.
    #[serde(rename = "maxOutputTokens")]
    pub max_output_tokens: Option<u64>,
    /// The canonical id of the model, which may differ from the key in the map.
    #[serde(rename = "canonicalModel")]
    pub canonical_model: Option<String>,
    /// The provider that serves the model.
    pub provider: Option<String>,
    /// The price list that the cost is based on.
    #[serde(rename = "costBasis")]
    pub cost_basis: Option<CostBasis>,
}

/// The price list that a cost is based on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CostBasis {
    /// The public price list.
    List,
    /// Prices that an administrator set.
    Managed,
    /// The CLI reports `unknown` as the basis.
    #[serde(rename = "unknown")]
    Unspecified,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
