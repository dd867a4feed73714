use inhouse_macros::Open;

/// The state of the account's rate limit changed.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct RateLimitEvent {
    /// The state.
    pub rate_limit_info: RateLimitInfo,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// The state of a rate limit.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RateLimitInfo {
    /// Whether requests go through.
    pub status: RateLimitStatus,
    /// When the limit starts anew, in Unix time.
    pub resets_at: Option<f64>,
    /// Which limit.
    pub rate_limit_type: Option<RateLimitType>,
    /// How much of it is used.
    pub utilization: Option<f64>,
    /// Whether requests beyond the plan go through.
    pub overage_status: Option<RateLimitStatus>,
    /// When the limit on those starts anew, in Unix time.
    pub overage_resets_at: Option<f64>,
    /// Why there are none beyond the plan.
    pub overage_disabled_reason: Option<OverageDisabledReason>,
    /// Whether requests now count beyond the plan.
    pub is_using_overage: Option<bool>,
    /// Whether usage beyond the plan is in effect.
    pub overage_in_use: Option<bool>,
    /// Whether usage beyond the plan is allowed.
    pub overage_enabled: Option<bool>,
    /// Whether the user may buy credits.
    pub can_user_purchase_credits: Option<bool>,
    /// Whether there is a way to charge the user.
    pub has_chargeable_saved_payment_method: Option<bool>,
    /// The threshold of a warning that was passed.
    pub surpassed_threshold: Option<f64>,
    /// To what the limit applies.
    pub limit_scope: Option<LimitScope>,
    /// Why a request was rejected.
    pub error_code: Option<RateLimitErrorCode>,
}

/// Whether requests go through.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RateLimitStatus {
    /// They do.
    Allowed,
    /// They do, but the limit is near.
    AllowedWarning,
    /// They do not.
    Rejected,
    /// A value that this version does not know.
    Unknown(String),
}

/// The limits of an account.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RateLimitType {
    /// On five hours.
    FiveHour,
    /// On a week.
    SevenDay,
    /// On a week of Opus models.
    SevenDayOpus,
    /// On a week of Sonnet models.
    SevenDaySonnet,
    /// On a week, with usage beyond the plan.
    SevenDayOverageIncluded,
    /// On usage beyond the plan.
    Overage,
    /// A value that this version does not know.
    Unknown(String),
}

/// Why there is no usage beyond the plan.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OverageDisabledReason {
    /// It was never set up.
    OverageNotProvisioned,
    /// The organization turned it off.
    OrgLevelDisabled,
    /// The organization turned it off for a time.
    OrgLevelDisabledUntil,
    /// The credits are used up.
    OutOfCredits,
    /// It is off for this kind of seat.
    SeatTierLevelDisabled,
    /// It is off for this member.
    MemberLevelDisabled,
    /// This kind of seat has a limit of zero.
    SeatTierZeroCreditLimit,
    /// This group has a limit of zero.
    GroupZeroCreditLimit,
    /// This member has a limit of zero.
    MemberZeroCreditLimit,
    /// The organization turned it off for this service.
    OrgServiceLevelDisabled,
    /// No limits were set.
    NoLimitsConfigured,
    /// The CLI could not find out.
    FetchError,
    /// The CLI itself says `unknown`.
    #[serde(rename = "unknown")]
    Unspecified,
    /// A value that this version does not know.
    Unknown(String),
}

/// To what a limit applies.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LimitScope {
    /// A service.
    Service,
    /// A channel.
    Channel,
    /// The pool of a group.
    GroupPool,
    /// A value that this version does not know.
    Unknown(String),
}

/// Why a request was rejected.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RateLimitErrorCode {
    /// It needs credits.
    CreditsRequired,
    /// A value that this version does not know.
    Unknown(String),
}
