use inhouse_macros::Open;

/// Whether fast mode is on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FastModeState {
    /// Off.
    Off,
    /// On, but paused after a limit was reached.
    Cooldown,
    /// On.
    On,
    /// A value that this version does not know.
    Unknown(String),
}

/// Why fast mode is off.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FastModeDisabledReason {
    /// The plan is free.
    Free,
    /// The user turned it off.
    Preference,
    /// Usage beyond the plan is off.
    ExtraUsageDisabled,
    /// The CLI could not find out.
    NetworkError,
    /// The CLI itself says `unknown`.
    #[serde(rename = "unknown")]
    Unspecified,
    /// The provider is not the first-party API.
    NotFirstParty,
    /// The environment turns it off.
    DisabledByEnv,
    /// The model has none.
    ModelNotAllowed,
    /// The host must ask for it.
    SdkOptInRequired,
    /// Not yet known.
    Pending,
    /// A value that this version does not know.
    Unknown(String),
}
