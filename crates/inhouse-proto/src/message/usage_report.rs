use std::collections::BTreeMap;

use super::ModelUsage;
use crate::open::open_struct;

open_struct! {
    /// What was used and what is left: the answer to `/usage` as data. Experimental in the CLI.
    pub struct UsageReport {
        /// What the session used.
        pub session: Option<SessionUsage>,
        /// The limits of the plan; `None` without a plan.
        pub rate_limits: Option<PlanLimits>,
    }
}

open_struct! {
    /// What a session used.
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
}

open_struct! {
    /// The limits of a plan.
    pub struct PlanLimits {
        /// The limits.
        pub limits: Option<Vec<PlanLimit>>,
        /// What may be bought on top.
        pub extra_usage: Option<ExtraUsage>,
    }
}

open_struct! {
    /// One limit of a plan.
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
}

open_struct! {
    /// To what a limit applies.
    pub struct PlanLimitScope {
        /// One model.
        pub model: Option<PlanLimitTarget>,
        /// One product.
        pub surface: Option<PlanLimitTarget>,
    }
}

open_struct! {
    /// A model or a product under a limit of its own.
    pub struct PlanLimitTarget {
        /// Its name, for display.
        pub display_name: Option<String>,
    }
}

open_struct! {
    /// Usage that is paid for on top of a plan.
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
}
