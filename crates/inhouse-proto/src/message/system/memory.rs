use inhouse_macros::Open;

/// Memories of earlier sessions were brought into the conversation.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct MemoryRecallMessage {
    /// How.
    pub mode: Option<MemoryRecallMode>,
    /// The memories.
    pub memories: Vec<RecalledMemory>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// How memories are brought into a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MemoryRecallMode {
    /// As they are.
    Select,
    /// Put together into a new text.
    Synthesize,
    /// A value that this version does not know.
    Unknown(String),
}

/// A memory.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct RecalledMemory {
    /// The file that holds it.
    pub path: String,
    /// Whose it is.
    pub scope: Option<MemoryScope>,
    /// Its text.
    pub content: Option<String>,
}

/// Whose a memory is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MemoryScope {
    /// The user's.
    Personal,
    /// A team's.
    Team,
    /// An organization's.
    Organization,
    /// A value that this version does not know.
    Unknown(String),
}
