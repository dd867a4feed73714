use inhouse_macros::Open;

/// What one model used since the process started, in all loops together.
///
/// The figures for accounting. They are running totals: take the newest, never add them up over
/// results.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ModelUsage {
    /// Tokens read, without those that the cache served or stored.
    #[serde(rename = "inputTokens")]
    pub input_tokens: u64,
    /// Tokens written.
    #[serde(rename = "outputTokens")]
    pub output_tokens: u64,
    /// Cost in US dollars.
    #[serde(rename = "costUSD")]
    pub cost_usd: f64,
    /// Tokens served from the cache.
    #[serde(rename = "cacheReadInputTokens")]
    pub cache_read_input_tokens: Option<u64>,
    /// Tokens stored in the cache.
    #[serde(rename = "cacheCreationInputTokens")]
    pub cache_creation_input_tokens: Option<u64>,
    /// The part of those that is stored for five minutes.
    #[serde(rename = "cacheCreationEphemeral5mInputTokens")]
    pub cache_creation_ephemeral_5m_input_tokens: Option<u64>,
    /// The part of those that is stored for one hour.
    #[serde(rename = "cacheCreationEphemeral1hInputTokens")]
    pub cache_creation_ephemeral_1h_input_tokens: Option<u64>,
    /// The part of the written tokens that is reasoning.
    #[serde(rename = "thinkingTokens")]
    pub thinking_tokens: Option<u64>,
    /// Web searches at the API.
    #[serde(rename = "webSearchRequests")]
    pub web_search_requests: Option<u64>,
    /// The size of the model's context window.
    #[serde(rename = "contextWindow")]
    pub context_window: Option<u64>,
    /// The most that the model may write at once.
    #[serde(rename = "maxOutputTokens")]
    pub max_output_tokens: Option<u64>,
    /// The model's usual id, where the map's key is another.
    #[serde(rename = "canonicalModel")]
    pub canonical_model: Option<String>,
    /// Who serves the model.
    pub provider: Option<String>,
    /// Where the price comes from.
    #[serde(rename = "costBasis")]
    pub cost_basis: Option<CostBasis>,
}

/// Where a price comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CostBasis {
    /// The public price list.
    List,
    /// Prices that an administrator set.
    Managed,
    /// The CLI itself says `unknown`.
    #[serde(rename = "unknown")]
    Unspecified,
    /// A value that this version does not know.
    Unknown(String),
}
