use inhouse_macros::Open;

/// Reports that the state of the account's rate limit changed.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct RateLimitEvent {
    /// The new state of the rate limit.
    pub rate_limit_info: RateLimitInfo,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// The state of a rate limit.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RateLimitInfo {
    /// Whether requests are allowed.
    pub status: RateLimitStatus,
    /// Time at which the limit resets, in Unix time.
    pub resets_at: Option<f64>,
    /// The limit that the state is about.
    pub rate_limit_type: Option<RateLimitType>,
    /// Used part of the limit.
    pub utilization: Option<f64>,
    /// Whether requests beyond the plan are allowed.
    pub overage_status: Option<RateLimitStatus>,
    /// Time at which the limit on usage beyond the plan resets, in Unix time.
    pub overage_resets_at: Option<f64>,
    /// Reason why usage beyond the plan is not available.
    pub overage_disabled_reason: Option<OverageDisabledReason>,
    /// Whether requests currently count as usage beyond the plan.
    pub is_using_overage: Option<bool>,
    /// Whether usage beyond the plan is in effect.
    pub overage_in_use: Option<bool>,
    /// Whether usage beyond the plan is allowed.
    pub overage_enabled: Option<bool>,
    /// Whether the user can purchase credits.
    pub can_user_purchase_credits: Option<bool>,
    /// Whether the user has a saved payment method that can be charged.
    pub has_chargeable_saved_payment_method: Option<bool>,
    /// The warning threshold that was exceeded.
    pub surpassed_threshold: Option<f64>,
    /// The scope that the limit applies to.
    pub limit_scope: Option<LimitScope>,
    /// Reason why a request was rejected.
    pub error_code: Option<RateLimitErrorCode>,
}

/// Whether requests are allowed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RateLimitStatus {
    /// Requests are currently allowed.
    Allowed,
    /// Requests are allowed, but the limit is almost reached.
    AllowedWarning,
    /// Requests are currently rejected.
    Rejected,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// A rate limit of an account.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RateLimitType {
    /// The limit for five hours.
    FiveHour,
    /// The limit for seven days.
    SevenDay,
    /// The limit on Opus models for seven days.
    SevenDayOpus,
    /// The limit on Sonnet models for seven days.
    SevenDaySonnet,
    /// The limit for seven days, including usage beyond the plan.
    SevenDayOverageIncluded,
    /// The limit on usage beyond the plan.
    Overage,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Reason why usage beyond the plan is not available.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OverageDisabledReason {
    /// Usage beyond the plan was never set up.
    OverageNotProvisioned,
    /// The organization turned off usage beyond the plan.
    OrgLevelDisabled,
    /// The organization turned off usage beyond the plan for a limited time.
    OrgLevelDisabledUntil,
    /// The credits are used up.
    OutOfCredits,
    /// Usage beyond the plan is turned off for this seat tier.
    SeatTierLevelDisabled,
    /// Usage beyond the plan is turned off for this member.
    MemberLevelDisabled,
    /// The seat tier has a credit limit of zero.
    SeatTierZeroCreditLimit,
    /// The group has a credit limit of zero.
    GroupZeroCreditLimit,
    /// The member has a credit limit of zero.
    MemberZeroCreditLimit,
    /// The organization turned off usage beyond the plan for this service.
    OrgServiceLevelDisabled,
    /// No limits are configured.
    NoLimitsConfigured,
    /// The CLI could not query the reason.
    FetchError,
    /// The CLI reports `unknown` as the reason.
    #[serde(rename = "unknown")]
    Unspecified,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// The scope that a limit applies to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LimitScope {
    /// The limit applies to a service.
    Service,
    /// The limit applies to a channel.
    Channel,
    /// The limit applies to the pool of a group.
    GroupPool,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Reason why a request was rejected.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RateLimitErrorCode {
    /// The request requires credits.
    CreditsRequired,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
