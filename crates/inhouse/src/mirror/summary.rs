use std::time::{Duration, SystemTime};

use bytes::Bytes;
use inhouse_proto::session::Summary;
use serde::{Deserialize, Serialize};

/// How many bytes of each end of a transcript are kept.
pub(crate) const END_BYTES: usize = 64 << 10;

/// The first and the last bytes of a main transcript, from which its summary is made.
///
/// They take the same amount of memory for a transcript of any length.
#[derive(Default)]
pub(crate) struct TranscriptEnds {
    pub(crate) head: Vec<u8>,
    pub(crate) tail: Vec<u8>,
}

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

impl TranscriptEnds {
    /// Adds an entry.
    pub(crate) fn push(&mut self, entry: &[u8]) {
        let (head, rest) = entry.split_at(entry.len().min(END_BYTES - self.head.len()));
        self.head.extend_from_slice(head);
        if rest.is_empty() && !self.is_head_full() {
            return self.head.push(b'\n');
        }
        // Shortened at twice the limit, so that few entries cause a move.
        self.tail.extend_from_slice(rest);
        self.tail.push(b'\n');
        if self.tail.len() > 2 * END_BYTES {
            self.tail.drain(..self.tail.len() - END_BYTES);
        }
    }

    pub(crate) fn is_head_full(&self) -> bool {
        self.head.len() == END_BYTES
    }

    pub(crate) fn summary(&self) -> Summary {
        Summary::read(&self.head, &self.tail)
    }

    /// Returns the summary as the JSON text that a store keeps.
    pub(crate) fn stored_summary(&self) -> Bytes {
        StoredSummary::from(&self.summary()).encode()
    }
}

impl StoredSummary {
    /// Reads the summary of an append; `None` if it is not JSON.
    pub(crate) fn decode(json: &[u8]) -> Option<Self> {
        serde_json::from_slice(json).ok()
    }

    fn encode(&self) -> Bytes {
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn summary(ends: &TranscriptEnds) -> Value {
        serde_json::from_slice(&ends.stored_summary()).unwrap()
    }

    #[test]
    fn summary_of_a_long_transcript_comes_from_both_of_its_ends() {
        let mut ends = TranscriptEnds::default();
        let prompt =
            json!({"type": "user", "uuid": "u", "cwd": "/app", "message": {"content": "Hello"}});
        ends.push(prompt.to_string().as_bytes());
        assert_eq!(summary(&ends)["summary"], "Hello");
        let filler = json!({"type": "x", "text": "x".repeat(1000)}).to_string();
        for _ in 0..1000 {
            ends.push(filler.as_bytes());
        }
        ends.push(
            json!({"type": "custom-title", "customTitle": "Greeting"})
                .to_string()
                .as_bytes(),
        );
        let summary = summary(&ends);
        assert_eq!(summary["summary"], "Greeting");
        assert_eq!(summary["firstPrompt"], "Hello");
        assert_eq!(summary["cwd"], "/app");
        assert!(ends.head.len() + ends.tail.len() <= 3 * END_BYTES);
    }
}
