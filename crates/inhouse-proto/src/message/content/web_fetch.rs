use super::{Caller, ContentBlock};
use crate::open::Unknown;
use inhouse_macros::Open;
use serde::Serialize;

/// What the API's web fetch read.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct WebFetchToolResultBlock {
    /// The id of the call.
    pub tool_use_id: String,
    /// The page, or why there is none.
    pub content: WebFetchContent,
    /// Who made the call, when it was not the model itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<Box<Caller>>,
}

/// A page that was fetched, or why that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[serde(tag = "type")]
#[non_exhaustive]
pub enum WebFetchContent {
    /// The page.
    #[serde(rename = "web_fetch_result")]
    Result(WebFetchResult),
    /// Why it could not be fetched.
    #[serde(rename = "web_fetch_tool_result_error")]
    Error(WebFetchToolResultError),
    /// A value with an unknown tag, or with a known tag and an unexpected shape.
    #[serde(untagged)]
    Unknown(Unknown),
}

/// A page that was fetched.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct WebFetchResult {
    /// The address.
    pub url: String,
    /// When it was fetched, as an ISO 8601 time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retrieved_at: Option<String>,
    /// The page, as a document block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<ContentBlock>,
}

/// Why a page could not be fetched.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct WebFetchToolResultError {
    /// The API's code for the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
}
