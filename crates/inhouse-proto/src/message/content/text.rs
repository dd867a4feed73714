use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

use super::CacheControl;

/// Text, written by the model or by the user.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct TextBlock {
    /// The text.
    pub text: String,
    /// What the text is based on, as the API gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citations: Option<Vec<Value>>,
    /// Where the prompt cache may end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
}

impl TextBlock {
    /// A block with nothing but text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            citations: None,
            cache_control: None,
        }
    }
}
