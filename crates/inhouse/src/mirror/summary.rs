use std::time::{Duration, SystemTime};

use bytes::Bytes;
use inhouse_proto::session::Summary;
use serde::{Deserialize, Serialize};

/// The summary that a store keeps with a session, so that a list need not read its entries.
#[derive(Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct StoredSummary {
    pub(crate) summary: Option<String>,
    pub(crate) custom_title: Option<String>,
    pub(crate) ai_title: Option<String>,
    pub(crate) first_prompt: Option<String>,
    pub(crate) last_prompt: Option<String>,
    pub(crate) tag: Option<String>,
    pub(crate) cwd: Option<String>,
    pub(crate) git_branch: Option<String>,
    /// Milliseconds since 1970.
    created_at: Option<u64>,
    pub(crate) is_sidechain: bool,
    /// Whether a program has started the session; `None` if the summary does not say it.
    pub(crate) is_programmatic: Option<bool>,
    /// The session that replaces this one.
    pub(crate) continued_in: Option<String>,
}

impl StoredSummary {
    /// Reads the summary of an append; `None` if it is not JSON.
    pub(crate) fn decode(json: &[u8]) -> Option<Self> {
        serde_json::from_slice(json).ok()
    }

    /// Returns the JSON text that a store keeps.
    pub(crate) fn encode(&self) -> Bytes {
        serde_json::to_vec(self)
            .expect("text and numbers are JSON")
            .into()
    }

    pub(crate) fn created_at(&self) -> Option<SystemTime> {
        SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(self.created_at?))
    }
}

impl From<&Summary> for StoredSummary {
    fn from(summary: &Summary) -> Self {
        let created_at = summary
            .created_at
            .and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        Self {
            summary: summary.text().map(str::to_owned),
            custom_title: summary.custom_title.clone(),
            ai_title: summary.ai_title.clone(),
            first_prompt: summary.first_prompt().map(str::to_owned),
            last_prompt: summary.last_prompt.clone(),
            tag: summary.tag.clone(),
            cwd: summary.cwd.clone(),
            git_branch: summary.git_branch.clone(),
            created_at: created_at.and_then(|time| u64::try_from(time.as_millis()).ok()),
            is_sidechain: summary.is_sidechain,
            is_programmatic: Some(summary.is_programmatic()),
            continued_in: summary.continued_in.clone(),
        }
    }
}
