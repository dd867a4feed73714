use serde_json::Value;

use super::{CacheControl, ContentBlock};
use crate::open::open_struct;

open_struct! {
    /// A passage that a search of the host's own found, given to the model to cite.
    pub struct SearchResultBlock ["type" = "search_result"] {
        /// Where the passage comes from, often an address.
        pub source: String,
        /// The title of the source.
        pub title: String,
        /// The passage, as blocks of text.
        pub content: Vec<ContentBlock>,
        /// Whether the model may cite it, as the API wants it.
        pub citations: Option<Value>,
        /// Where the prompt cache may end.
        pub cache_control: Option<Box<CacheControl>>,
    }
}
