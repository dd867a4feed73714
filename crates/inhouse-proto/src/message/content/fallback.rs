use inhouse_macros::Open;
use serde::Serialize;

/// The point at which another model took over because the first one refused.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct FallbackBlock {
    /// The model that refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<FallbackModel>,
    /// The model that took over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<FallbackModel>,
    /// The cause of the switch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<FallbackTrigger>,
}

/// A model that takes part in a fallback.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct FallbackModel {
    /// The id of the model.
    pub model: String,
}

/// The cause of a switch to another model.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct FallbackTrigger {
    /// The kind of cause, `refusal`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The category of harm that the refusal is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
}
