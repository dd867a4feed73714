use inhouse_macros::Open;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::open::decode;

use super::Caller;

/// What the API's web search found.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct WebSearchToolResultBlock {
    /// The id of the call.
    pub tool_use_id: String,
    /// The pages, or why there are none.
    pub content: WebSearchContent,
    /// Who made the call, when it was not the model itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<Box<Caller>>,
}

/// The pages that a web search found, or why it failed.
///
/// Told apart by shape: a list is a success, an object a failure.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum WebSearchContent {
    /// The pages.
    Results(Vec<WebSearchResult>),
    /// Why the search failed.
    Error(WebSearchToolResultError),
}

/// One page that a web search found.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct WebSearchResult {
    /// The kind: `web_search_result`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The address.
    pub url: String,
    /// The title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The text, encrypted; of use only to the API.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encrypted_content: Option<String>,
    /// How old the page is, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_age: Option<String>,
}

/// Why a web search failed.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct WebSearchToolResultError {
    /// The kind: `web_search_tool_result_error`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The API's code for the failure.
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
