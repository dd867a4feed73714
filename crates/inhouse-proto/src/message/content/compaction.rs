use serde_json::Value;

use crate::open::open_struct;

open_struct! {
    /// A summary by which the API replaced an earlier part of the conversation.
    pub struct CompactionBlock ["type" = "compaction"] {
        /// The summary in the clear.
        pub content: Option<String>,
        /// The summary, encrypted; of use only to the API.
        pub encrypted_content: Option<String>,
        /// Proves to the API that the summary is its own.
        pub signature: Option<String>,
        /// Which tools came and went in the replaced part.
        pub tool_changes: Option<Value>,
    }
}
