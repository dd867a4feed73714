use crate::open::open_enum;

open_enum! {
    /// Whether fast mode is on.
    pub enum FastModeState {
        /// Off.
        Off = "off",
        /// On, but paused after a limit was reached.
        Cooldown = "cooldown",
        /// On.
        On = "on",
    }
}

open_enum! {
    /// Why fast mode is off.
    pub enum FastModeDisabledReason {
        /// The plan is free.
        Free = "free",
        /// The user turned it off.
        Preference = "preference",
        /// Usage beyond the plan is off.
        ExtraUsageDisabled = "extra_usage_disabled",
        /// The CLI could not find out.
        NetworkError = "network_error",
        /// The CLI itself says `unknown`.
        Unspecified = "unknown",
        /// The provider is not the first-party API.
        NotFirstParty = "not_first_party",
        /// The environment turns it off.
        DisabledByEnv = "disabled_by_env",
        /// The model has none.
        ModelNotAllowed = "model_not_allowed",
        /// The host must ask for it.
        SdkOptInRequired = "sdk_opt_in_required",
        /// Not yet known.
        Pending = "pending",
    }
}
