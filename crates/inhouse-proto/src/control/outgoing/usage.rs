use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;
use serde_json::{Map, Value};

/// Request for the usage of the session and for the limits of the plan.
///
/// The shape of the reply is experimental, in the CLI as well.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetUsage {
    /// Whether the CLI leaves out the report on usage habits, which takes time to compute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_behaviors: Option<bool>,
}

impl GetUsage {
    /// Creates a request without optional members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether the CLI leaves out the report on usage habits, which takes time to compute.
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

/// The reply to [`GetUsage`]: cost and durations of the session, and the limits of the plan.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct GetUsageReply {
    /// Usage of this session.
    pub session: SessionTotals,
    /// Subscription plan of the account; `None` if it has none.
    pub subscription_type: Option<String>,
    /// Whether the limits of the plan are known.
    pub rate_limits_available: bool,
    /// Limits of the plan, as the CLI sends them; `None` if they are not known.
    pub rate_limits: Option<Value>,
    /// Report on usage habits, as the CLI sends it; `None` if it was left out.
    pub behaviors: Option<Value>,
}

/// Usage of a session: cost, durations and changed lines.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SessionTotals {
    /// Cost of the session in US dollars.
    pub total_cost_usd: f64,
    /// Time spent waiting for the model, in milliseconds.
    pub total_api_duration_ms: f64,
    /// Time since the start of the session, in milliseconds.
    pub total_duration_ms: f64,
    /// Number of lines of code added.
    pub total_lines_added: u64,
    /// Number of lines of code removed.
    pub total_lines_removed: u64,
    /// Token counts and cost by model.
    pub model_usage: Map<String, Value>,
}

/// Request for the cost of the session as text.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetSessionCost {}

impl GetSessionCost {
    /// Creates a request without members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ControlRequest for GetSessionCost {
    const SUBTYPE: &'static str = "get_session_cost";
    type Reply = GetSessionCostReply;
}

/// The reply to [`GetSessionCost`]: the cost as text.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct GetSessionCostReply {
    /// Cost of the session in a few lines for display.
    pub text: String,
}
