use inhouse_macros::Open;

/// Message that marks the place where the conversation was compacted: earlier messages are replaced by a summary.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct CompactBoundaryMessage {
    /// Details of the compaction.
    pub compact_metadata: CompactMetadata,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Details of a compaction of the conversation.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct CompactMetadata {
    /// The cause of the compaction.
    pub trigger: Option<CompactTrigger>,
    /// Number of tokens in the context before the compaction.
    pub pre_tokens: Option<u64>,
    /// Number of tokens in the context after the compaction.
    pub post_tokens: Option<u64>,
    /// Duration of the compaction in milliseconds.
    pub duration_ms: Option<f64>,
    /// The messages that were kept, given by the first and the last of a contiguous segment.
    pub preserved_segment: Option<PreservedSegment>,
    /// The messages that were kept, listed by id. Prefer this member over `preserved_segment`.
    pub preserved_messages: Option<PreservedMessages>,
}

/// Cause of a compaction of the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CompactTrigger {
    /// The user requested the compaction.
    Manual,
    /// The CLI started the compaction because the context was nearly full.
    Auto,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Contiguous segment of messages that a compaction kept.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PreservedSegment {
    /// The id of the first message of the segment.
    pub head_uuid: Option<String>,
    /// The id of the message that the segment now follows.
    pub anchor_uuid: Option<String>,
    /// The id of the last message of the segment.
    pub tail_uuid: Option<String>,
}

/// List of messages that a compaction kept.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PreservedMessages {
    /// The id of the message that the kept messages now follow.
    pub anchor_uuid: Option<String>,
    /// The ids of the kept messages.
    pub uuids: Option<Vec<String>>,
}
