use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

use super::{CacheControl, ContentBlock};

/// A passage from the host's own search, which the model can cite.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct SearchResultBlock {
    /// Source of the passage, often a URL.
    pub source: String,
    /// Title of the source.
    pub title: String,
    /// The passage, as blocks of text.
    pub content: Vec<ContentBlock>,
    /// The API's citation setting, such as `{"enabled": true}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citations: Option<Value>,
    /// Marks the end of a part of the prompt that the API may cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
}
