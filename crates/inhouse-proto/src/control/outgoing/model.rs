use serde::Serialize;

use super::Change;
use super::declare::control_request;
use crate::control::{EffortLevel, Empty};
use crate::open::{open_enum, open_struct};

/// Changes the model from the next turn on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetModel {
    /// The model. The CLI takes [`Change::Keep`] for a reset as well.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub model: Change<String>,
}

impl SetModel {
    /// Changes to an alias such as `haiku`, or to a full model id.
    #[must_use]
    pub fn new(model: impl Into<String>) -> Self {
        Self {
            model: Change::Set(model.into()),
        }
    }

    /// Goes back to the default model.
    #[must_use]
    pub fn reset() -> Self {
        Self {
            model: Change::Reset,
        }
    }
}

control_request!(SetModel("set_model") -> SetModelReply);

open_struct! {
    /// The reply to [`SetModel`].
    pub struct SetModelReply {
        /// The full id of the model that is now in use; absent from old CLIs.
        pub model: Option<String>,
    }
}

/// Changes how much the model may think, and how much of it is shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetMaxThinkingTokens {
    /// The budget; newer models take 0 for off.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub max_thinking_tokens: Change<u64>,
    /// What is shown.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub thinking_display: Change<ThinkingDisplay>,
}

impl SetMaxThinkingTokens {
    /// A request that changes nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Changes the budget; `None` goes back to the one at the start.
    #[must_use]
    pub fn max_thinking_tokens(mut self, tokens: impl Into<Option<u64>>) -> Self {
        self.max_thinking_tokens = tokens.into().into();
        self
    }

    /// Changes what is shown; `None` goes back to what was shown at the start.
    #[must_use]
    pub fn thinking_display(mut self, display: impl Into<Option<ThinkingDisplay>>) -> Self {
        self.thinking_display = display.into().into();
        self
    }
}

control_request!(SetMaxThinkingTokens("set_max_thinking_tokens") -> Empty);

open_enum! {
    /// How much of its thinking a model shows.
    pub enum ThinkingDisplay {
        /// A summary.
        Summarized = "summarized",
        /// Nothing.
        Omitted = "omitted",
        /// The main points.
        Highlights = "highlights",
    }
}

control_request! {
    /// Asks which models there are.
    pub struct ListModels("list_models") -> ListModelsReply
}

open_struct! {
    /// The reply to [`ListModels`].
    pub struct ListModelsReply {
        /// The models, the default first.
        pub models: Vec<ModelInfo>,
    }
}

open_struct! {
    /// A model that a session can use.
    pub struct ModelInfo {
        /// What [`SetModel`] takes.
        pub value: String,
        /// The full id behind an alias.
        pub resolved_model as "resolvedModel": Option<String>,
        /// The name for people.
        pub display_name as "displayName": String,
        /// A line about it.
        pub description: String,
        /// Whether its effort can be set.
        pub supports_effort as "supportsEffort": Option<bool>,
        /// The levels of effort that it knows.
        pub supported_effort_levels as "supportedEffortLevels": Option<Vec<EffortLevel>>,
        /// Whether it decides by itself how much to think.
        pub supports_adaptive_thinking as "supportsAdaptiveThinking": Option<bool>,
        /// Whether it has a fast mode.
        pub supports_fast_mode as "supportsFastMode": Option<bool>,
        /// Whether it can judge permissions ([`Auto`](crate::control::PermissionMode::Auto)).
        pub supports_auto_mode as "supportsAutoMode": Option<bool>,
        /// Whether thinking can be turned off.
        pub supports_thinking_off as "supportsThinkingOff": Option<bool>,
    }
}
