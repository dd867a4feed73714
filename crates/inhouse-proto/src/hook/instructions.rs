use super::event::hook_event;
use crate::open::open_enum;

hook_event! {
    /// A file with instructions, such as `CLAUDE.md`, was read.
    pub struct InstructionsLoaded {
        /// The file.
        pub file_path: String,
        /// Whose instructions they are.
        pub memory_type: InstructionsOwner,
        /// Why it was read.
        pub load_reason: LoadReason,
        /// The patterns of paths for which it is meant.
        pub globs: Option<Vec<String>>,
        /// The file that made the CLI read it.
        pub trigger_file_path: Option<String>,
        /// The file that includes it.
        pub parent_file_path: Option<String>,
    }
}

open_enum! {
    /// Whose instructions a file holds.
    pub enum InstructionsOwner {
        /// The user's.
        User = "User",
        /// The project's, which are shared.
        Project = "Project",
        /// The project's of this machine.
        Local = "Local",
        /// The administrator's.
        Managed = "Managed",
    }
}

open_enum! {
    /// Why a file with instructions was read.
    pub enum LoadReason {
        /// The session began.
        SessionStart = "session_start",
        /// A file below its directory was looked at.
        NestedTraversal = "nested_traversal",
        /// A file that it is meant for was looked at.
        PathGlobMatch = "path_glob_match",
        /// Another file includes it.
        Include = "include",
        /// The conversation was compacted.
        Compact = "compact",
    }
}
