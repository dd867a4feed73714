use serde_json::Value;

use crate::open::open_struct;

open_struct! {
    /// What the CLI has just added to a transcript, for a session store to keep.
    ///
    /// Sent only when mirroring was asked for. It is meant for the SDK and never becomes a
    /// [`Message`](super::Message).
    pub struct TranscriptMirror ["type" = "transcript_mirror"] {
        /// The transcript, as an absolute path.
        pub file_path as "filePath": String,
        /// The entries, each an object.
        pub entries: Vec<Value>,
    }
}
