use inhouse_macros::Open;

/// The state of fast mode.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FastModeState {
    /// Fast mode is off.
    Off,
    /// Fast mode is on, but paused because a limit was reached.
    Cooldown,
    /// Fast mode is on.
    On,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Reason why fast mode is off.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FastModeDisabledReason {
    /// The account has a free plan.
    Free,
    /// The user turned fast mode off.
    Preference,
    /// Usage beyond the plan is turned off.
    ExtraUsageDisabled,
    /// The CLI could not query the availability because of a network error.
    NetworkError,
    /// The CLI reports `unknown` as the reason.
    #[serde(rename = "unknown")]
    Unspecified,
    /// The provider is not the first-party API.
    NotFirstParty,
    /// An environment variable turns fast mode off.
    DisabledByEnv,
    /// The model does not support fast mode.
    ModelNotAllowed,
    /// The host must opt in to fast mode.
    SdkOptInRequired,
    /// The availability is not yet known.
    Pending,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
