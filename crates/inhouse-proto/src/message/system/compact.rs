use inhouse_macros::Open;

/// The conversation was compacted here: what came before is now a summary.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct CompactBoundaryMessage {
    /// How it was compacted.
    pub compact_metadata: CompactMetadata,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// How a conversation was compacted.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
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

/// Who wanted a conversation to be compacted.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CompactTrigger {
    /// The user.
    Manual,
    /// The CLI, because the context was nearly full.
    Auto,
    /// A value that this version does not know.
    Unknown(String),
}

/// Messages that were kept, by the ends of their row.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PreservedSegment {
    /// The first.
    pub head_uuid: Option<String>,
    /// The message after which they now stand.
    pub anchor_uuid: Option<String>,
    /// The last.
    pub tail_uuid: Option<String>,
}

/// Messages that were kept, one by one.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PreservedMessages {
    /// The message after which they now stand.
    pub anchor_uuid: Option<String>,
    /// The messages.
    pub uuids: Option<Vec<String>>,
}
