use inhouse_macros::Open;
use std::collections::BTreeMap;

use super::ModelUsage;

/// Usage of the session and of the plan: the answer to `/usage` as structured data. Experimental in the CLI.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct UsageReport {
    /// Usage of the session.
    pub session: Option<SessionUsage>,
    /// The limits of the plan; `None` without a plan.
    pub rate_limits: Option<PlanLimits>,
}

/// Usage of a session.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SessionUsage {
    /// Cost in US dollars.
    pub total_cost_usd: Option<f64>,
    /// Time spent waiting for the API, in milliseconds.
    pub total_api_duration_ms: Option<f64>,
    /// Time since the start, in milliseconds.
    pub total_duration_ms: Option<f64>,
    /// Number of lines of code that were added.
    pub total_lines_added: Option<u64>,
    /// Number of lines of code that were removed.
    pub total_lines_removed: Option<u64>,
    /// Usage of the session by model.
    pub model_usage: Option<BTreeMap<String, ModelUsage>>,
}

/// The limits of a plan.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PlanLimits {
    /// The individual limits of the plan.
    pub limits: Option<Vec<PlanLimit>>,
    /// Usage that is paid for in addition to the plan.
    pub extra_usage: Option<ExtraUsage>,
}

/// A limit of a plan.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PlanLimit {
    /// The kind of limit.
    pub kind: Option<String>,
    /// The group of limits that the limit belongs to.
    pub group: Option<String>,
    /// Used part of the limit, in percent.
    pub percent: Option<f64>,
    /// Time at which the limit resets, in ISO 8601.
    pub resets_at: Option<String>,
    /// The scope that the limit applies to; `None` if it applies to all usage.
    pub scope: Option<PlanLimitScope>,
    /// Severity of the limit's state.
    pub severity: Option<String>,
    /// Whether this is the limit that currently applies.
    pub is_active: Option<bool>,
}

/// The scope that a limit of a plan applies to.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PlanLimitScope {
    /// The model that the limit applies to.
    pub model: Option<PlanLimitTarget>,
    /// The product that the limit applies to.
    pub surface: Option<PlanLimitTarget>,
}

/// A model or a product with a separate limit.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PlanLimitTarget {
    /// Name of the model or product, for display.
    pub display_name: Option<String>,
}

/// Usage that is paid for in addition to a plan.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ExtraUsage {
    /// Whether additional usage is turned on.
    pub is_enabled: Option<bool>,
    /// Maximum amount that may be spent per month.
    pub monthly_limit: Option<f64>,
    /// Amount that was spent.
    pub used_credits: Option<f64>,
    /// Used part of the monthly limit.
    pub utilization: Option<f64>,
    /// Currency of the amounts.
    pub currency: Option<String>,
}
