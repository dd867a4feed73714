use crate::open::{open_enum, open_struct};

open_struct! {
    /// What one model used since the process started, in all loops together.
    ///
    /// The figures for accounting. They are running totals: take the newest, never add them up over
    /// results.
    pub struct ModelUsage {
        /// Tokens read, without those that the cache served or stored.
        pub input_tokens as "inputTokens": u64,
        /// Tokens written.
        pub output_tokens as "outputTokens": u64,
        /// Cost in US dollars.
        pub cost_usd as "costUSD": f64,
        /// Tokens served from the cache.
        pub cache_read_input_tokens as "cacheReadInputTokens": Option<u64>,
        /// Tokens stored in the cache.
        pub cache_creation_input_tokens as "cacheCreationInputTokens": Option<u64>,
        /// The part of those that is stored for five minutes.
        pub cache_creation_ephemeral_5m_input_tokens
            as "cacheCreationEphemeral5mInputTokens": Option<u64>,
        /// The part of those that is stored for one hour.
        pub cache_creation_ephemeral_1h_input_tokens
            as "cacheCreationEphemeral1hInputTokens": Option<u64>,
        /// The part of the written tokens that is reasoning.
        pub thinking_tokens as "thinkingTokens": Option<u64>,
        /// Web searches at the API.
        pub web_search_requests as "webSearchRequests": Option<u64>,
        /// The size of the model's context window.
        pub context_window as "contextWindow": Option<u64>,
        /// The most that the model may write at once.
        pub max_output_tokens as "maxOutputTokens": Option<u64>,
        /// The model's usual id, where the map's key is another.
        pub canonical_model as "canonicalModel": Option<String>,
        /// Who serves the model.
        pub provider: Option<String>,
        /// Where the price comes from.
        pub cost_basis as "costBasis": Option<CostBasis>,
    }
}

open_enum! {
    /// Where a price comes from.
    pub enum CostBasis {
        /// The public price list.
        List = "list",
        /// Prices that an administrator set.
        Managed = "managed",
        /// The CLI itself says `unknown`.
        Unspecified = "unknown",
    }
}
