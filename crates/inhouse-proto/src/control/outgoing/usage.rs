use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;
use serde_json::{Map, Value};

/// Asks what the session has used, and what the plan still allows.
///
/// Its shape is experimental, on the CLI's side too.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetUsage {
    /// Whether to leave out the report on habits, which takes time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_behaviors: Option<bool>,
}

impl GetUsage {
    /// Creates the request without its optional members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether to leave out the report on habits, which takes time.
    #[must_use]
    pub fn skip_behaviors(mut self, skip_behaviors: bool) -> Self {
        self.skip_behaviors = Some(skip_behaviors);
        self
    }
}

impl ControlRequest for GetUsage {
    const SUBTYPE: &'static str = "get_usage";
    type Reply = GetUsageReply;
}

/// The reply to [`GetUsage`].
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
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

/// What a session has used.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
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

/// Asks for the cost of the session in words.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetSessionCost {}

impl GetSessionCost {
    /// Creates the request.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ControlRequest for GetSessionCost {
    const SUBTYPE: &'static str = "get_session_cost";
    type Reply = GetSessionCostReply;
}

/// The reply to [`GetSessionCost`].
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct GetSessionCostReply {
    /// Some lines for people.
    pub text: String,
}
