use crate::open::{open_enum, open_struct};

open_struct! {
    /// The state of the account's rate limit changed.
    pub struct RateLimitEvent ["type" = "rate_limit_event"] {
        /// The state.
        pub rate_limit_info: RateLimitInfo,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}

open_struct! {
    /// The state of a rate limit.
    pub struct RateLimitInfo {
        /// Whether requests go through.
        pub status: RateLimitStatus,
        /// When the limit starts anew, in Unix time.
        pub resets_at as "resetsAt": Option<f64>,
        /// Which limit.
        pub rate_limit_type as "rateLimitType": Option<RateLimitType>,
        /// How much of it is used.
        pub utilization: Option<f64>,
        /// Whether requests beyond the plan go through.
        pub overage_status as "overageStatus": Option<RateLimitStatus>,
        /// When the limit on those starts anew, in Unix time.
        pub overage_resets_at as "overageResetsAt": Option<f64>,
        /// Why there are none beyond the plan.
        pub overage_disabled_reason as "overageDisabledReason": Option<OverageDisabledReason>,
        /// Whether requests now count beyond the plan.
        pub is_using_overage as "isUsingOverage": Option<bool>,
        /// Whether usage beyond the plan is in effect.
        pub overage_in_use as "overageInUse": Option<bool>,
        /// Whether usage beyond the plan is allowed.
        pub overage_enabled as "overageEnabled": Option<bool>,
        /// Whether the user may buy credits.
        pub can_user_purchase_credits as "canUserPurchaseCredits": Option<bool>,
        /// Whether there is a way to charge the user.
        pub has_chargeable_saved_payment_method
            as "hasChargeableSavedPaymentMethod": Option<bool>,
        /// The threshold of a warning that was passed.
        pub surpassed_threshold as "surpassedThreshold": Option<f64>,
        /// To what the limit applies.
        pub limit_scope as "limitScope": Option<LimitScope>,
        /// Why a request was rejected.
        pub error_code as "errorCode": Option<RateLimitErrorCode>,
    }
}

open_enum! {
    /// Whether requests go through.
    pub enum RateLimitStatus {
        /// They do.
        Allowed = "allowed",
        /// They do, but the limit is near.
        AllowedWarning = "allowed_warning",
        /// They do not.
        Rejected = "rejected",
    }
}

open_enum! {
    /// The limits of an account.
    pub enum RateLimitType {
        /// On five hours.
        FiveHour = "five_hour",
        /// On a week.
        SevenDay = "seven_day",
        /// On a week of Opus models.
        SevenDayOpus = "seven_day_opus",
        /// On a week of Sonnet models.
        SevenDaySonnet = "seven_day_sonnet",
        /// On a week, with usage beyond the plan.
        SevenDayOverageIncluded = "seven_day_overage_included",
        /// On usage beyond the plan.
        Overage = "overage",
    }
}

open_enum! {
    /// Why there is no usage beyond the plan.
    pub enum OverageDisabledReason {
        /// It was never set up.
        OverageNotProvisioned = "overage_not_provisioned",
        /// The organization turned it off.
        OrgLevelDisabled = "org_level_disabled",
        /// The organization turned it off for a time.
        OrgLevelDisabledUntil = "org_level_disabled_until",
        /// The credits are used up.
        OutOfCredits = "out_of_credits",
        /// It is off for this kind of seat.
        SeatTierLevelDisabled = "seat_tier_level_disabled",
        /// It is off for this member.
        MemberLevelDisabled = "member_level_disabled",
        /// This kind of seat has a limit of zero.
        SeatTierZeroCreditLimit = "seat_tier_zero_credit_limit",
        /// This group has a limit of zero.
        GroupZeroCreditLimit = "group_zero_credit_limit",
        /// This member has a limit of zero.
        MemberZeroCreditLimit = "member_zero_credit_limit",
        /// The organization turned it off for this service.
        OrgServiceLevelDisabled = "org_service_level_disabled",
        /// No limits were set.
        NoLimitsConfigured = "no_limits_configured",
        /// The CLI could not find out.
        FetchError = "fetch_error",
        /// The CLI itself says `unknown`.
        Unspecified = "unknown",
    }
}

open_enum! {
    /// To what a limit applies.
    pub enum LimitScope {
        /// A service.
        Service = "service",
        /// A channel.
        Channel = "channel",
        /// The pool of a group.
        GroupPool = "group_pool",
    }
}

open_enum! {
    /// Why a request was rejected.
    pub enum RateLimitErrorCode {
        /// It needs credits.
        CreditsRequired = "credits_required",
    }
}
