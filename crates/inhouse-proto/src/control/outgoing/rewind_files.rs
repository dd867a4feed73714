use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

/// Request to restore files to their state when a prompt was sent.
///
/// File checkpointing must be enabled; otherwise the CLI replies with an error.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RewindFiles {
    /// Uuid of the user message to return to.
    pub user_message_id: String,
    /// Whether the CLI only reports what would change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

impl RewindFiles {
    /// Creates a request for the user message with this uuid, without optional members.
    #[must_use]
    pub fn new(user_message_id: impl Into<String>) -> Self {
        Self {
            user_message_id: user_message_id.into(),
            dry_run: None,
        }
    }

    /// Sets whether the CLI only reports what would change.
    #[must_use]
    pub fn dry_run(mut self, dry_run: bool) -> Self {
        self.dry_run = Some(dry_run);
        self
    }
}

impl ControlRequest for RewindFiles {
    const SUBTYPE: &'static str = "rewind_files";
    type Reply = RewindFilesReply;
}

/// The reply to [`RewindFiles`]: the files that were restored, or would be.
///
/// The CLI may report a failed rewind as a successful reply: check [`can_rewind`](Self::can_rewind).
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RewindFilesReply {
    /// Whether the rewind succeeded, or would succeed.
    pub can_rewind: bool,
    /// Reason why the rewind failed; `None` if it did not.
    pub error: Option<String>,
    /// Paths of the files that were restored, or would be.
    pub files_changed: Option<Vec<String>>,
    /// Number of lines added.
    pub insertions: Option<u64>,
    /// Number of lines removed.
    pub deletions: Option<u64>,
    /// Links that were skipped, as the CLI sends them.
    pub skipped_links: Option<Value>,
}
