use serde_json::Value;

use super::declare::control_request;
use crate::open::open_struct;

control_request! {
    /// Puts files back to what they were when a prompt was sent.
    ///
    /// File checkpointing must be on.
    pub struct RewindFiles("rewind_files") -> RewindFilesReply
    requires {
        /// The uuid of the user message to go back to.
        user_message_id: String = impl Into<String>,
    }
    accepts {
        /// Whether only to say what would change.
        dry_run: bool,
    }
}

open_struct! {
    /// What was, or would be, put back.
    ///
    /// A rewind that failed is a reply too: look at [`can_rewind`](Self::can_rewind).
    pub struct RewindFilesReply {
        /// Whether it worked, or would work.
        pub can_rewind as "canRewind": bool,
        /// Why not.
        pub error: Option<String>,
        /// The files.
        pub files_changed as "filesChanged": Option<Vec<String>>,
        /// Lines added.
        pub insertions: Option<u64>,
        /// Lines removed.
        pub deletions: Option<u64>,
        /// Links that were left alone.
        pub skipped_links as "skippedLinks": Option<Value>,
    }
}
