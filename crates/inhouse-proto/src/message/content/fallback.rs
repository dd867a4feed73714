use inhouse_macros::Open;
use serde::Serialize;

/// The point where another model took over, because the first refused.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct FallbackBlock {
    /// The model that refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<FallbackModel>,
    /// The model that took over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<FallbackModel>,
    /// What made the switch happen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<FallbackTrigger>,
}

/// A model on one side of the switch.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct FallbackModel {
    /// The model's id.
    pub model: String,
}

/// What made a switch of models happen.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct FallbackTrigger {
    /// The kind: `refusal`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What the refusal was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
}
