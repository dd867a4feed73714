use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::Caller;
use crate::open::expand::deserialize;
use crate::open::{Mismatch, Open, open_struct};

open_struct! {
    /// What the API's web search found.
    pub struct WebSearchToolResultBlock ["type" = "web_search_tool_result"] {
        /// The id of the call.
        pub tool_use_id: String,
        /// The pages, or why there are none.
        pub content: WebSearchContent,
        /// Who made the call, when it was not the model itself.
        pub caller: Option<Box<Caller>>,
    }
}

/// The pages that a web search found, or why it failed.
///
/// Told apart by shape: a list is a success, an object a failure.
#[derive(Clone, Debug, PartialEq)]
pub enum WebSearchContent {
    /// The pages.
    Results(Vec<WebSearchResult>),
    /// Why the search failed.
    Error(WebSearchToolResultError),
}

open_struct! {
    /// One page that a web search found.
    pub struct WebSearchResult {
        /// The kind: `web_search_result`.
        pub kind as "type": Option<String>,
        /// The address.
        pub url: String,
        /// The title.
        pub title: Option<String>,
        /// The text, encrypted; of use only to the API.
        pub encrypted_content: Option<String>,
        /// How old the page is, in words.
        pub page_age: Option<String>,
    }
}

open_struct! {
    /// Why a web search failed.
    pub struct WebSearchToolResultError {
        /// The kind: `web_search_tool_result_error`.
        pub kind as "type": Option<String>,
        /// The API's code for the failure.
        pub error_code: Option<String>,
    }
}

impl Serialize for WebSearchContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Results(results) => results.serialize(serializer),
            Self::Error(error) => error.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for WebSearchContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer)
    }
}

impl Open for WebSearchContent {
    fn open(value: Value) -> Result<Self, Mismatch> {
        match value {
            value @ Value::Array(_) => Open::open(value).map(Self::Results),
            value => Open::open(value).map(Self::Error),
        }
    }

    fn blank() -> Self {
        Self::Results(Vec::new())
    }
}
