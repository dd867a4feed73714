use crate::control::PermissionMode;
use crate::open::{open_enum, open_struct};

open_struct! {
    /// What the CLI is busy with.
    pub struct StatusMessage ["type" = "system", "subtype" = "status"] {
        /// The activity; `None` when it has ended.
        pub status: Option<StatusActivity>,
        /// The permission mode, when it changed.
        pub permission_mode as "permissionMode": Option<PermissionMode>,
        /// How a compaction ended.
        pub compact_result: Option<CompactResult>,
        /// Why it failed.
        pub compact_error: Option<String>,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// What the CLI can be busy with.
    pub enum StatusActivity {
        /// It compacts the conversation.
        Compacting = "compacting",
        /// It waits for the API.
        Requesting = "requesting",
    }
}

open_enum! {
    /// How a compaction ended.
    pub enum CompactResult {
        /// Well.
        Success = "success",
        /// Badly.
        Failed = "failed",
    }
}
