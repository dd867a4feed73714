use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;

use super::Change;
use crate::control::{Effort, Empty};

/// Request to change the model, from the next turn on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetModel {
    /// The new model. The CLI treats [`Change::Keep`] as a reset as well.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub model: Change<String>,
}

impl SetModel {
    /// Creates a request for an alias such as `haiku`, or for a full model id.
    #[must_use]
    pub fn new(model: impl Into<String>) -> Self {
        Self {
            model: Change::Set(model.into()),
        }
    }

    /// Creates a request to return to the default model.
    #[must_use]
    pub fn reset() -> Self {
        Self {
            model: Change::Reset,
        }
    }
}

impl ControlRequest for SetModel {
    const SUBTYPE: &'static str = "set_model";
    type Reply = SetModelReply;
}

/// The reply to [`SetModel`]: the model in use.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SetModelReply {
    /// Full id of the model that is now in use; `None` with old CLIs.
    pub model: Option<String>,
}

/// Request to change how much the model may think, and how much of it is shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetMaxThinkingTokens {
    /// Thinking budget in tokens. Newer models treat 0 as off.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub max_thinking_tokens: Change<u64>,
    /// Amount of the thinking that is shown.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub thinking_display: Change<ThinkingDisplay>,
}

impl SetMaxThinkingTokens {
    /// Creates a request that changes nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Changes the thinking budget in tokens; `None` resets it to its value at startup.
    #[must_use]
    pub fn max_thinking_tokens(mut self, tokens: impl Into<Option<u64>>) -> Self {
        self.max_thinking_tokens = tokens.into().into();
        self
    }

    /// Changes how much of the thinking is shown; `None` resets it to its value at startup.
    #[must_use]
    pub fn thinking_display(mut self, display: impl Into<Option<ThinkingDisplay>>) -> Self {
        self.thinking_display = display.into().into();
        self
    }
}

impl ControlRequest for SetMaxThinkingTokens {
    const SUBTYPE: &'static str = "set_max_thinking_tokens";
    type Reply = Empty;
}

/// Amount of its thinking that a model shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ThinkingDisplay {
    /// The model shows a summary of its thinking.
    Summarized,
    /// The model shows none of its thinking.
    Omitted,
    /// The model shows the main points of its thinking. Needs a newer CLI than 2.1.197.
    Highlights,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Request for the models that the session can use.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListModels {}

impl ListModels {
    /// Creates a request without members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ControlRequest for ListModels {
    const SUBTYPE: &'static str = "list_models";
    type Reply = ListModelsReply;
}

/// The reply to [`ListModels`]: the available models.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ListModelsReply {
    /// Models that the session can use, the default first.
    pub models: Vec<ModelInfo>,
}

/// A model that a session can use.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelInfo {
    /// Value that selects the model in [`SetModel`].
    pub value: String,
    /// Full model id that an alias stands for.
    pub resolved_model: Option<String>,
    /// Name of the model for display.
    pub display_name: String,
    /// Description of the model in one line.
    pub description: String,
    /// Whether the effort of the model can be set.
    pub supports_effort: Option<bool>,
    /// Levels of effort that the model supports.
    pub supported_effort_levels: Option<Vec<Effort>>,
    /// Whether the model can choose its amount of thinking itself.
    pub supports_adaptive_thinking: Option<bool>,
    /// Whether the model has a fast mode.
    pub supports_fast_mode: Option<bool>,
    /// Whether the model can decide permission requests ([`Auto`](crate::control::PermissionMode::Auto)).
    pub supports_auto_mode: Option<bool>,
    /// Whether the model's thinking can be turned off.
    pub supports_thinking_off: Option<bool>,
}
