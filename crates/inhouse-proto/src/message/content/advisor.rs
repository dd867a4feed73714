use crate::open::Unknown;
use inhouse_macros::Open;
use serde::Serialize;

/// The answer of the advisor, a second model that the main model can consult.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct AdvisorToolResultBlock {
    /// The id of the tool call.
    pub tool_use_id: String,
    /// The advice, or the error if there is none.
    pub content: AdvisorContent,
}

/// The result of a call of the advisor.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[serde(tag = "type")]
#[non_exhaustive]
pub enum AdvisorContent {
    /// The advice as plain text.
    #[serde(rename = "advisor_result")]
    Result(AdvisorResult),
    /// The advice in encrypted form, which only the API can read.
    #[serde(rename = "advisor_redacted_result")]
    Redacted(AdvisorRedactedResult),
    /// The error of a call that returned no advice.
    #[serde(rename = "advisor_tool_result_error")]
    Error(AdvisorToolResultError),
    /// A value with an unknown tag, or with a known tag and an unexpected shape.
    #[serde(untagged)]
    Unknown(Unknown),
}

/// Advice as plain text.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct AdvisorResult {
    /// Text of the advice.
    pub text: String,
    /// Reason why the advisor stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
}

/// Advice in encrypted form, which only the API can read.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct AdvisorRedactedResult {
    /// The advice in encrypted form.
    pub encrypted_content: String,
    /// Reason why the advisor stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
}

/// The error of an advisor call that returned no advice.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct AdvisorToolResultError {
    /// The API's code for the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
}
