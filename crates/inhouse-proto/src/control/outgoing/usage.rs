use serde_json::{Map, Value};

use super::declare::control_request;
use crate::open::open_struct;

control_request! {
    /// Asks what the session has used, and what the plan still allows.
    ///
    /// Its shape is experimental, on the CLI's side too.
    pub struct GetUsage("get_usage") -> GetUsageReply
    accepts {
        /// Whether to leave out the report on habits, which takes time.
        skip_behaviors: bool,
    }
}

open_struct! {
    /// The reply to [`GetUsage`].
    pub struct GetUsageReply {
        /// What this session has used.
        pub session: SessionUsage,
        /// The plan, if there is one.
        pub subscription_type: Option<String>,
        /// Whether the limits of the plan are known.
        pub rate_limits_available: bool,
        /// The limits of the plan.
        pub rate_limits: Option<Value>,
        /// The report on habits.
        pub behaviors: Option<Value>,
    }
}

open_struct! {
    /// What a session has used.
    pub struct SessionUsage {
        /// The cost in US dollars.
        pub total_cost_usd: f64,
        /// Time spent waiting for the model, in milliseconds.
        pub total_api_duration_ms: f64,
        /// Time since the start, in milliseconds.
        pub total_duration_ms: f64,
        /// Lines of code added.
        pub total_lines_added: u64,
        /// Lines of code removed.
        pub total_lines_removed: u64,
        /// Tokens and cost by model.
        pub model_usage: Map<String, Value>,
    }
}

control_request! {
    /// Asks for the cost of the session in words.
    pub struct GetSessionCost("get_session_cost") -> GetSessionCostReply
}

open_struct! {
    /// The reply to [`GetSessionCost`].
    pub struct GetSessionCostReply {
        /// Some lines for people.
        pub text: String,
    }
}
