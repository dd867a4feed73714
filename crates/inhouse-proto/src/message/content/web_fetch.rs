use super::{Caller, ContentBlock};
use crate::open::Unknown;
use inhouse_macros::Open;
use serde::Serialize;

/// The result of the API's web fetch.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct WebFetchToolResultBlock {
    /// The id of the tool call.
    pub tool_use_id: String,
    /// The page, or the error if it could not be fetched.
    pub content: WebFetchContent,
    /// The caller, if the model did not make the call directly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<Box<Caller>>,
}

/// The result of a web fetch: a page or an error.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[serde(tag = "type")]
#[non_exhaustive]
pub enum WebFetchContent {
    /// The page that was fetched.
    #[serde(rename = "web_fetch_result")]
    Result(WebFetchResult),
    /// The error because of which the page could not be fetched.
    #[serde(rename = "web_fetch_tool_result_error")]
    Error(WebFetchToolResultError),
    /// A value with an unknown tag, or with a known tag and an unexpected shape.
    #[serde(untagged)]
    Unknown(Unknown),
}

/// A web page that was fetched.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct WebFetchResult {
    /// URL of the page.
    pub url: String,
    /// Time at which the page was fetched, in ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retrieved_at: Option<String>,
    /// The page, as a document block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<ContentBlock>,
}

/// The error of a web fetch that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct WebFetchToolResultError {
    /// The API's code for the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
}
