use super::event::hook_event;
use crate::open::open_enum;

hook_event! {
    /// The conversation is about to be replaced by a summary.
    pub struct PreCompact {
        /// Who wants it.
        pub trigger: CompactTrigger,
        /// What the user said about the summary.
        pub custom_instructions: Option<String>,
    }
}

hook_event! {
    /// The conversation was replaced by a summary.
    pub struct PostCompact {
        /// Who wanted it.
        pub trigger: CompactTrigger,
        /// The summary.
        pub compact_summary: String,
    }
}

open_enum! {
    /// Who wants a summary.
    pub enum CompactTrigger {
        /// The user or the host.
        Manual = "manual",
        /// The CLI, because the conversation became long.
        Auto = "auto",
    }
}
