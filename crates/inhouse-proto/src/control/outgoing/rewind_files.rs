use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

/// Puts files back to what they were when a prompt was sent.
///
/// File checkpointing must be on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RewindFiles {
    /// The uuid of the user message to go back to.
    pub user_message_id: String,
    /// Whether only to say what would change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

impl RewindFiles {
    /// Creates the request without its optional members.
    #[must_use]
    pub fn new(user_message_id: impl Into<String>) -> Self {
        Self {
            user_message_id: user_message_id.into(),
            dry_run: None,
        }
    }

    /// Whether only to say what would change.
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

/// What was, or would be, put back.
///
/// A rewind that failed is a reply too: look at [`can_rewind`](Self::can_rewind).
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RewindFilesReply {
    /// Whether it worked, or would work.
    pub can_rewind: bool,
    /// Why not.
    pub error: Option<String>,
    /// The files.
    pub files_changed: Option<Vec<String>>,
    /// Lines added.
    pub insertions: Option<u64>,
    /// Lines removed.
    pub deletions: Option<u64>,
    /// Links that were left alone.
    pub skipped_links: Option<Value>,
}
