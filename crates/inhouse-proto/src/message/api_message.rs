use serde_json::Value;

use super::{ContentBlock, Usage};
use crate::open::{open_enum, open_struct};

open_struct! {
    /// The message object of the API, as it stands inside of assistant messages and stream events.
    ///
    /// Only the content is certain to be there: other providers, older models, and the messages
    /// that the CLI makes up itself leave members out.
    pub struct ApiMessage {
        /// The API's id of the message. Several assistant messages share it.
        pub id: Option<String>,
        /// The kind of object.
        pub kind as "type": Option<ApiMessageKind>,
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
}

open_enum! {
    /// The kind of object that a message of the API is.
    pub enum ApiMessageKind {
        /// A message: so far there is no other kind.
        Message = "message",
    }
}

open_enum! {
    /// Who speaks in a message of the API.
    pub enum Role {
        /// The model.
        Assistant = "assistant",
        /// The user, or the CLI in the user's place.
        User = "user",
        /// Whoever instructs the model.
        System = "system",
    }
}

open_enum! {
    /// Why the model stopped.
    pub enum StopReason {
        /// It was done.
        EndTurn = "end_turn",
        /// It reached the limit on output tokens.
        MaxTokens = "max_tokens",
        /// It wrote a stop sequence.
        StopSequence = "stop_sequence",
        /// It called a tool.
        ToolUse = "tool_use",
        /// A long turn paused, to be continued.
        PauseTurn = "pause_turn",
        /// The conversation was compacted.
        Compaction = "compaction",
        /// It refused.
        Refusal = "refusal",
        /// The context window was full.
        ModelContextWindowExceeded = "model_context_window_exceeded",
    }
}

open_struct! {
    /// More about a refusal.
    pub struct StopDetails {
        /// The kind: `refusal`.
        pub kind as "type": Option<String>,
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
}

open_enum! {
    /// What a refusal was about.
    pub enum RefusalCategory {
        /// Attacks on computers.
        Cyber = "cyber",
        /// Biological harm.
        Bio = "bio",
        /// Work on large language models themselves.
        FrontierLlm = "frontier_llm",
        /// Getting at hidden reasoning.
        ReasoningExtraction = "reasoning_extraction",
        /// Other harm.
        GeneralHarms = "general_harms",
    }
}

open_struct! {
    /// The container in which the API's tools ran.
    pub struct Container {
        /// The id, to use the container again.
        pub id: Option<String>,
        /// When it goes away, as an ISO 8601 time.
        pub expires_at: Option<String>,
        /// The skills that were loaded into it.
        pub skills: Option<Vec<Value>>,
    }
}

open_struct! {
    /// What the API removed from the context by itself.
    pub struct ContextManagement {
        /// The edits.
        pub applied_edits: Option<Vec<Value>>,
    }
}

open_struct! {
    /// What the API noticed about the request.
    pub struct Diagnostics {
        /// Why the prompt cache was missed, as the API gives it.
        pub cache_miss_reason: Option<Value>,
    }
}
