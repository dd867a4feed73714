use crate::open::{open_enum, open_struct};

open_struct! {
    /// The conversation was compacted here: what came before is now a summary.
    pub struct CompactBoundaryMessage ["type" = "system", "subtype" = "compact_boundary"] {
        /// How it was compacted.
        pub compact_metadata: CompactMetadata,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}

open_struct! {
    /// How a conversation was compacted.
    pub struct CompactMetadata {
        /// Who wanted it.
        pub trigger: Option<CompactTrigger>,
        /// Tokens before.
        pub pre_tokens: Option<u64>,
        /// Tokens after.
        pub post_tokens: Option<u64>,
        /// Milliseconds that it took.
        pub duration_ms: Option<f64>,
        /// The messages that were kept, by the ends of their row.
        pub preserved_segment: Option<PreservedSegment>,
        /// The messages that were kept, one by one; prefer this to the segment.
        pub preserved_messages: Option<PreservedMessages>,
    }
}

open_enum! {
    /// Who wanted a conversation to be compacted.
    pub enum CompactTrigger {
        /// The user.
        Manual = "manual",
        /// The CLI, because the context was nearly full.
        Auto = "auto",
    }
}

open_struct! {
    /// Messages that were kept, by the ends of their row.
    pub struct PreservedSegment {
        /// The first.
        pub head_uuid: Option<String>,
        /// The message after which they now stand.
        pub anchor_uuid: Option<String>,
        /// The last.
        pub tail_uuid: Option<String>,
    }
}

open_struct! {
    /// Messages that were kept, one by one.
    pub struct PreservedMessages {
        /// The message after which they now stand.
        pub anchor_uuid: Option<String>,
        /// The messages.
        pub uuids: Option<Vec<String>>,
    }
}
