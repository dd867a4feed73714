use inhouse_macros::Open;
use std::collections::BTreeMap;

use super::ModelUsage;

/// What was used and what is left: the answer to `/usage` as data. Experimental in the CLI.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct UsageReport {
    /// What the session used.
    pub session: Option<SessionUsage>,
    /// The limits of the plan; `None` without a plan.
    pub rate_limits: Option<PlanLimits>,
}

/// What a session used.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SessionUsage {
    /// Cost in US dollars.
    pub total_cost_usd: Option<f64>,
    /// Milliseconds spent waiting for the API.
    pub total_api_duration_ms: Option<f64>,
    /// Milliseconds since the start.
    pub total_duration_ms: Option<f64>,
    /// Lines of code added.
    pub total_lines_added: Option<u64>,
    /// Lines of code removed.
    pub total_lines_removed: Option<u64>,
    /// Usage by model.
    pub model_usage: Option<BTreeMap<String, ModelUsage>>,
}

/// The limits of a plan.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PlanLimits {
    /// The limits.
    pub limits: Option<Vec<PlanLimit>>,
    /// What may be bought on top.
    pub extra_usage: Option<ExtraUsage>,
}

/// One limit of a plan.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PlanLimit {
    /// Which limit.
    pub kind: Option<String>,
    /// The group of limits to which it belongs.
    pub group: Option<String>,
    /// How much of it is used, in percent.
    pub percent: Option<f64>,
    /// When it starts anew, as an ISO 8601 time.
    pub resets_at: Option<String>,
    /// To what it applies; `None` for everything.
    pub scope: Option<PlanLimitScope>,
    /// How urgent it is.
    pub severity: Option<String>,
    /// Whether it is the limit that counts now.
    pub is_active: Option<bool>,
}

/// To what a limit applies.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PlanLimitScope {
    /// One model.
    pub model: Option<PlanLimitTarget>,
    /// One product.
    pub surface: Option<PlanLimitTarget>,
}

/// A model or a product under a limit of its own.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PlanLimitTarget {
    /// Its name, for display.
    pub display_name: Option<String>,
}

/// Usage that is paid for on top of a plan.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ExtraUsage {
    /// Whether it is turned on.
    pub is_enabled: Option<bool>,
    /// The most that may be spent in a month.
    pub monthly_limit: Option<f64>,
    /// What was spent.
    pub used_credits: Option<f64>,
    /// How much of the limit is used.
    pub utilization: Option<f64>,
    /// The currency of the amounts.
    pub currency: Option<String>,
}
