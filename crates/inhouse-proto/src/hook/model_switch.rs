use super::HookCommon;
use inhouse_macros::Open;
use serde::Deserialize;

use crate::message::CacheTtl;

/// Event that fires before the session switches to another model.
///
/// A `set_model` request of the host fires it, too (2.1.325).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PreModelSwitch {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The model before the switch.
    pub from_model: String,
    /// The model after the switch.
    pub to_model: String,
    /// The model that was requested. `None` requests the default model.
    pub requested_model: Option<String>,
    /// Origin of the request to switch.
    pub source: ModelSwitchSource,
    /// Number of tokens in the context of the conversation.
    pub context_tokens: u64,
    /// Whether the conversation is in the prompt cache of the old model.
    pub prompt_cache_warm: bool,
    /// Lifetime of the entries in the prompt cache of the new model.
    pub cache_ttl: CacheTtl,
    /// Estimated cost of caching the conversation again, in US dollars.
    pub estimated_cache_write_usd: f64,
    /// Source of the prices for the estimate.
    pub pricing: Pricing,
}

/// Event that fires after the session has switched to another model.
///
/// Context that the answer [adds](super::HookOutput::context) is part of the next request to the new model.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PostModelSwitch {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The model before the switch.
    pub from_model: String,
    /// The model after the switch.
    pub to_model: String,
    /// The model that was requested. `None` requests the default model.
    pub requested_model: Option<String>,
    /// Origin of the request to switch.
    pub source: ModelSwitchSource,
    /// Number of tokens in the context of the conversation.
    pub context_tokens: u64,
    /// Whether the conversation was in the prompt cache of the old model.
    pub prompt_cache_warm: bool,
    /// Lifetime of the entries in the prompt cache of the new model.
    pub cache_ttl: CacheTtl,
    /// Estimated cost of caching the conversation again, in US dollars.
    pub estimated_cache_write_usd: f64,
    /// Source of the prices for the estimate.
    pub pricing: Pricing,
}

/// Origin of a request to switch to another model.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelSwitchSource {
    /// A slash command requested the switch.
    Command,
    /// The user chose the model in the menu of the terminal.
    Picker,
    /// A host requested the switch.
    Sdk,
    /// The CLI switched automatically. Occurs only in [`PostModelSwitch`].
    Auto,
    /// The session was resumed. Occurs only in [`PostModelSwitch`].
    Resume,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Source of the prices for a cost estimate.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Pricing {
    /// The prices come from the configuration.
    Configured,
    /// The prices come from the catalog of models.
    Catalog,
    /// The prices are a default estimate.
    Default,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
