use crate::control::PermissionMode;
use inhouse_macros::Open;

/// Message sent when the activity of the CLI changed.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct StatusMessage {
    /// The current activity. `None` if the activity has ended.
    pub status: Option<StatusActivity>,
    /// The new permission mode. `None` if it did not change.
    #[serde(rename = "permissionMode")]
    pub permission_mode: Option<PermissionMode>,
    /// Outcome of a compaction.
    pub compact_result: Option<CompactResult>,
    /// Reason why the compaction failed.
    pub compact_error: Option<String>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Activity of the CLI.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StatusActivity {
    /// The CLI is compacting the conversation.
    Compacting,
    /// The CLI is waiting for the API.
    Requesting,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Outcome of a compaction.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CompactResult {
    /// The conversation was compacted.
    Success,
    /// The conversation could not be compacted.
    Failed,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
