use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

use super::CacheControl;

/// Text that the model or the user wrote.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct TextBlock {
    /// Text of the block.
    pub text: String,
    /// Citations that support the text, in the API's format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citations: Option<Vec<Value>>,
    /// Marks the end of a part of the prompt that the API may cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
}

impl TextBlock {
    /// Creates a block of text without citations and cache marker.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            citations: None,
            cache_control: None,
        }
    }
}
