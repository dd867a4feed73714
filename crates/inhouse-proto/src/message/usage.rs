use crate::open::{open_enum, open_struct};

open_struct! {
    /// Tokens that the API counted.
    ///
    /// On an assistant message the figures are provisional; those of a
    /// [`ResultMessage`](super::ResultMessage) are final, for the main loop of that turn.
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
}

open_struct! {
    /// Tokens stored in the cache, by lifetime.
    pub struct CacheCreation {
        /// For five minutes.
        pub ephemeral_5m_input_tokens: Option<u64>,
        /// For one hour.
        pub ephemeral_1h_input_tokens: Option<u64>,
    }
}

open_struct! {
    /// What the written tokens were.
    pub struct OutputTokensDetails {
        /// Reasoning.
        pub thinking_tokens: Option<u64>,
    }
}

open_struct! {
    /// Calls of tools at the API.
    pub struct ServerToolUsage {
        /// Web searches.
        pub web_search_requests: Option<u64>,
        /// Web pages.
        pub web_fetch_requests: Option<u64>,
    }
}

open_enum! {
    /// The tier that served a request.
    pub enum ServiceTier {
        /// The usual one.
        Standard = "standard",
        /// Reserved capacity.
        Priority = "priority",
        /// Batches.
        Batch = "batch",
    }
}

open_enum! {
    /// The speed at which a request was served.
    pub enum Speed {
        /// The usual one.
        Standard = "standard",
        /// Fast mode.
        Fast = "fast",
    }
}

open_struct! {
    /// One step behind an answer.
    pub struct UsageIteration {
        /// What the step was.
        pub kind as "type": Option<UsageIterationKind>,
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
}

open_enum! {
    /// The steps behind an answer.
    pub enum UsageIterationKind {
        /// The model wrote.
        Message = "message",
        /// The conversation was compacted.
        Compaction = "compaction",
        /// The advisor wrote.
        AdvisorMessage = "advisor_message",
        /// Another model wrote after a refusal.
        FallbackMessage = "fallback_message",
    }
}

open_struct! {
    /// A refund after a refusal.
    pub struct FallbackCredit {
        /// What became of it.
        pub status: Option<String>,
    }
}
