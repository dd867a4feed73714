use inhouse_macros::Open;
use serde::Serialize;

/// The model's reasoning as plain text.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct ThinkingBlock {
    /// Text of the reasoning; may be empty if the CLI is configured to omit it.
    pub thinking: String,
    /// The signature by which the API verifies that it created the reasoning. Providers other than the first-party API
    /// may omit it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// The model's reasoning, encrypted by the API.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct RedactedThinkingBlock {
    /// The reasoning in encrypted form, which only the API can read.
    pub data: String,
}
