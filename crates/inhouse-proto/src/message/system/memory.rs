use crate::open::{open_enum, open_struct};

open_struct! {
    /// Memories of earlier sessions were brought into the conversation.
    pub struct MemoryRecallMessage ["type" = "system", "subtype" = "memory_recall"] {
        /// How.
        pub mode: Option<MemoryRecallMode>,
        /// The memories.
        pub memories: Vec<RecalledMemory>,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// How memories are brought into a conversation.
    pub enum MemoryRecallMode {
        /// As they are.
        Select = "select",
        /// Put together into a new text.
        Synthesize = "synthesize",
    }
}

open_struct! {
    /// A memory.
    pub struct RecalledMemory {
        /// The file that holds it.
        pub path: String,
        /// Whose it is.
        pub scope: Option<MemoryScope>,
        /// Its text.
        pub content: Option<String>,
    }
}

open_enum! {
    /// Whose a memory is.
    pub enum MemoryScope {
        /// The user's.
        Personal = "personal",
        /// A team's.
        Team = "team",
        /// An organization's.
        Organization = "organization",
    }
}
