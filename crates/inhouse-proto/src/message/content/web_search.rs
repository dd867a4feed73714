use inhouse_macros::Open;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::open::decode;

use super::Caller;

/// The result of the API's web search.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct WebSearchToolResultBlock {
    /// The id of the tool call.
    pub tool_use_id: String,
    /// The pages, or the error if the search failed.
    pub content: WebSearchContent,
    /// The caller, if the model did not make the call directly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<Box<Caller>>,
}

/// The result of a web search: pages or an error.
///
/// The shape on the wire distinguishes the two: a list is a success, an object is an error.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum WebSearchContent {
    /// The pages that were found.
    Results(Vec<WebSearchResult>),
    /// The error because of which the search failed.
    Error(WebSearchToolResultError),
}

/// A page that a web search found.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct WebSearchResult {
    /// The kind of result, `web_search_result`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// URL of the page.
    pub url: String,
    /// Title of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The text in encrypted form, which only the API can read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encrypted_content: Option<String>,
    /// Age of the page as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_age: Option<String>,
}

/// The error of a web search that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct WebSearchToolResultError {
    /// The kind of error, `web_search_tool_result_error`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The API's code for the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
}

impl<'de> Deserialize<'de> for WebSearchContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        let content = match raw.get().starts_with('[') {
            true => decode(raw.get()).map(Self::Results),
            false => decode(raw.get()).map(Self::Error),
        };
        content.map_err(D::Error::custom)
    }
}
