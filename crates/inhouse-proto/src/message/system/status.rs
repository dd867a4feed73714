use crate::control::PermissionMode;
use inhouse_macros::Open;

/// What the CLI is busy with.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct StatusMessage {
    /// The activity; `None` when it has ended.
    pub status: Option<StatusActivity>,
    /// The permission mode, when it changed.
    #[serde(rename = "permissionMode")]
    pub permission_mode: Option<PermissionMode>,
    /// How a compaction ended.
    pub compact_result: Option<CompactResult>,
    /// Why it failed.
    pub compact_error: Option<String>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// What the CLI can be busy with.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StatusActivity {
    /// It compacts the conversation.
    Compacting,
    /// It waits for the API.
    Requesting,
    /// A value that this version does not know.
    Unknown(String),
}

/// How a compaction ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CompactResult {
    /// Well.
    Success,
    /// Badly.
    Failed,
    /// A value that this version does not know.
    Unknown(String),
}
