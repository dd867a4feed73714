use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;

use super::Change;
use crate::control::{EffortLevel, Empty};

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

impl ControlRequest for SetModel {
    const SUBTYPE: &'static str = "set_model";
    type Reply = SetModelReply;
}

/// The reply to [`SetModel`].
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SetModelReply {
    /// The full id of the model that is now in use; absent from old CLIs.
    pub model: Option<String>,
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

impl ControlRequest for SetMaxThinkingTokens {
    const SUBTYPE: &'static str = "set_max_thinking_tokens";
    type Reply = Empty;
}

/// How much of its thinking a model shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ThinkingDisplay {
    /// A summary.
    Summarized,
    /// Nothing.
    Omitted,
    /// The main points.
    Highlights,
    /// A value that this version does not know.
    Unknown(String),
}

/// Asks which models there are.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListModels {}

impl ListModels {
    /// Creates the request.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ControlRequest for ListModels {
    const SUBTYPE: &'static str = "list_models";
    type Reply = ListModelsReply;
}

/// The reply to [`ListModels`].
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ListModelsReply {
    /// The models, the default first.
    pub models: Vec<ModelInfo>,
}

/// A model that a session can use.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelInfo {
    /// What [`SetModel`] takes.
    pub value: String,
    /// The full id behind an alias.
    pub resolved_model: Option<String>,
    /// The name for people.
    pub display_name: String,
    /// A line about it.
    pub description: String,
    /// Whether its effort can be set.
    pub supports_effort: Option<bool>,
    /// The levels of effort that it knows.
    pub supported_effort_levels: Option<Vec<EffortLevel>>,
    /// Whether it decides by itself how much to think.
    pub supports_adaptive_thinking: Option<bool>,
    /// Whether it has a fast mode.
    pub supports_fast_mode: Option<bool>,
    /// Whether it can judge permissions ([`Auto`](crate::control::PermissionMode::Auto)).
    pub supports_auto_mode: Option<bool>,
    /// Whether thinking can be turned off.
    pub supports_thinking_off: Option<bool>,
}
