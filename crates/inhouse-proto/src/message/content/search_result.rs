use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

use super::{CacheControl, ContentBlock};

/// A passage that a search of the host's own found, given to the model to cite.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct SearchResultBlock {
    /// Where the passage comes from, often an address.
    pub source: String,
    /// The title of the source.
    pub title: String,
    /// The passage, as blocks of text.
    pub content: Vec<ContentBlock>,
    /// Whether the model may cite it, as the API wants it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citations: Option<Value>,
    /// Where the prompt cache may end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
}
