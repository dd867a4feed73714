use serde_json::Value;

use super::CacheControl;
use crate::open::{Extra, open_struct};

open_struct! {
    /// Text, written by the model or by the user.
    pub struct TextBlock ["type" = "text"] {
        /// The text.
        pub text: String,
        /// What the text is based on, as the API gives it.
        pub citations: Option<Vec<Value>>,
        /// Where the prompt cache may end.
        pub cache_control: Option<Box<CacheControl>>,
    }
}

impl TextBlock {
    /// A block with nothing but text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            citations: None,
            cache_control: None,
            extra: Extra::default(),
        }
    }
}
