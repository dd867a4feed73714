use super::{HookCommon, HookEvent};
use inhouse_macros::Open;
use serde::Deserialize;

/// Another model is about to take over.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PreModelSwitch {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The model until now.
    pub from_model: String,
    /// The model from now on.
    pub to_model: String,
    /// What was asked for; none is the default.
    pub requested_model: Option<String>,
    /// Who wants it.
    pub source: ModelSwitchSource,
    /// How long the conversation is.
    pub context_tokens: u64,
    /// Whether the old model has it cached.
    pub prompt_cache_warm: bool,
    /// How long the new model keeps it.
    pub cache_ttl: CacheTtl,
    /// What it costs to cache it anew.
    pub estimated_cache_write_usd: f64,
    /// Where the prices come from.
    pub pricing: Pricing,
}

impl HookEvent for PreModelSwitch {
    const NAME: &'static str = "PreModelSwitch";
}

/// Another model has taken over. Context that an answer adds is for the new one.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PostModelSwitch {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The model until now.
    pub from_model: String,
    /// The model from now on.
    pub to_model: String,
    /// What was asked for; none is the default.
    pub requested_model: Option<String>,
    /// Who wanted it.
    pub source: ModelSwitchSource,
    /// How long the conversation is.
    pub context_tokens: u64,
    /// Whether the old model had it cached.
    pub prompt_cache_warm: bool,
    /// How long the new model keeps it.
    pub cache_ttl: CacheTtl,
    /// What it costs to cache it anew.
    pub estimated_cache_write_usd: f64,
    /// Where the prices come from.
    pub pricing: Pricing,
}

impl HookEvent for PostModelSwitch {
    const NAME: &'static str = "PostModelSwitch";
}

/// Who wants another model.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelSwitchSource {
    /// A slash command.
    Command,
    /// The menu of the terminal.
    Picker,
    /// A host.
    Sdk,
    /// The CLI.
    Auto,
    /// A session that was resumed.
    Resume,
    /// A value that this version does not know.
    Unknown(String),
}

/// How long a model keeps what it has cached.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[non_exhaustive]
pub enum CacheTtl {
    /// Five minutes.
    #[serde(rename = "5m")]
    FiveMinutes,
    /// An hour.
    #[serde(rename = "1h")]
    OneHour,
    /// A value that this version does not know.
    Unknown(String),
}

/// Where prices come from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Pricing {
    /// The configuration.
    Configured,
    /// The catalog of models.
    Catalog,
    /// A guess.
    Default,
    /// A value that this version does not know.
    Unknown(String),
}
