use inhouse_macros::Open;
use serde::Serialize;

/// The model's reasoning, in the clear.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct ThinkingBlock {
    /// The reasoning; may be empty when the CLI was told to leave it out.
    pub thinking: String,
    /// Proves to the API that the reasoning is its own; providers other than the first-party
    /// API may leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// The model's reasoning, encrypted by the API.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct RedactedThinkingBlock {
    /// The encrypted reasoning; of use only to the API.
    pub data: String,
}
