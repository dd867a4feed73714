use super::event::hook_event;
use crate::open::open_enum;

hook_event! {
    /// Another model is about to take over.
    pub struct PreModelSwitch {
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
}

hook_event! {
    /// Another model has taken over. Context that an answer adds is for the new one.
    pub struct PostModelSwitch {
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
}

open_enum! {
    /// Who wants another model.
    pub enum ModelSwitchSource {
        /// A slash command.
        Command = "command",
        /// The menu of the terminal.
        Picker = "picker",
        /// A host.
        Sdk = "sdk",
        /// The CLI.
        Auto = "auto",
        /// A session that was resumed.
        Resume = "resume",
    }
}

open_enum! {
    /// How long a model keeps what it has cached.
    pub enum CacheTtl {
        /// Five minutes.
        FiveMinutes = "5m",
        /// An hour.
        OneHour = "1h",
    }
}

open_enum! {
    /// Where prices come from.
    pub enum Pricing {
        /// The configuration.
        Configured = "configured",
        /// The catalog of models.
        Catalog = "catalog",
        /// A guess.
        Default = "default",
    }
}
