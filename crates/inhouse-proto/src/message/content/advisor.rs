use crate::open::Unknown;
use inhouse_macros::Open;
use serde::Serialize;

/// What the advisor, a second model that the first may consult, said.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct AdvisorToolResultBlock {
    /// The id of the call.
    pub tool_use_id: String,
    /// The advice, or why there is none.
    pub content: AdvisorContent,
}

/// Advice in one of its forms.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[serde(tag = "type")]
#[non_exhaustive]
pub enum AdvisorContent {
    /// Advice in the clear.
    #[serde(rename = "advisor_result")]
    Result(AdvisorResult),
    /// Advice that only the API can read.
    #[serde(rename = "advisor_redacted_result")]
    Redacted(AdvisorRedactedResult),
    /// Why there is no advice.
    #[serde(rename = "advisor_tool_result_error")]
    Error(AdvisorToolResultError),
    /// A value with an unknown tag, or with a known tag and an unexpected shape.
    #[serde(untagged)]
    Unknown(Unknown),
}

/// Advice in the clear.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct AdvisorResult {
    /// The advice.
    pub text: String,
    /// Why the advisor stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
}

/// Advice that only the API can read.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct AdvisorRedactedResult {
    /// The encrypted advice.
    pub encrypted_content: String,
    /// Why the advisor stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
}

/// Why there is no advice.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct AdvisorToolResultError {
    /// The API's code for the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
}
