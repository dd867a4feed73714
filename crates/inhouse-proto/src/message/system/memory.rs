use inhouse_macros::Open;

/// Message sent when memories of earlier sessions were added to the conversation.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct MemoryRecallMessage {
    /// Form in which the memories were added.
    pub mode: Option<MemoryRecallMode>,
    /// The memories that were added.
    pub memories: Vec<RecalledMemory>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Form in which memories are added to the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MemoryRecallMode {
    /// The memories are added unchanged.
    Select,
    /// The memories are combined into a new text.
    Synthesize,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Memory that was added to the conversation.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct RecalledMemory {
    /// The file that holds the memory.
    pub path: String,
    /// Owner of the memory.
    pub scope: Option<MemoryScope>,
    /// The text of the memory.
    pub content: Option<String>,
}

/// Owner of a memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MemoryScope {
    /// The memory belongs to the user.
    Personal,
    /// The memory belongs to a team.
    Team,
    /// The memory belongs to an organization.
    Organization,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
