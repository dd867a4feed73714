use std::time::SystemTime;

use bytes::Bytes;
use inhouse_proto::session::Summary;
use serde::Serialize;

/// How many bytes of each end of a transcript are kept.
const LIMIT: usize = 64 << 10;

/// The first and the last bytes of a main transcript, from which its summary is made.
///
/// They take the same amount of memory for a transcript of any length.
#[derive(Default)]
pub(crate) struct TranscriptEnds {
    head: Vec<u8>,
    tail: Vec<u8>,
}

/// The summary of a session in a store.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StoredSummary<'a> {
    summary: Option<&'a str>,
    custom_title: Option<&'a str>,
    ai_title: Option<&'a str>,
    first_prompt: Option<&'a str>,
    last_prompt: Option<&'a str>,
    tag: Option<&'a str>,
    cwd: Option<&'a str>,
    git_branch: Option<&'a str>,
    /// Milliseconds since 1970.
    created_at: Option<u64>,
    is_sidechain: bool,
}

impl TranscriptEnds {
    /// Adds an entry.
    pub(crate) fn push(&mut self, entry: &[u8]) {
        let (head, rest) = entry.split_at(entry.len().min(LIMIT - self.head.len()));
        self.head.extend_from_slice(head);
        if rest.is_empty() && self.head.len() < LIMIT {
            return self.head.push(b'\n');
        }
        // Shortened at twice the limit, so that few entries cause a move.
        self.tail.extend_from_slice(rest);
        self.tail.push(b'\n');
        if self.tail.len() > 2 * LIMIT {
            self.tail.drain(..self.tail.len() - LIMIT);
        }
    }

    /// Returns the summary of the session as JSON text.
    pub(super) fn summary(&self) -> Option<Bytes> {
        let summary = Summary::read(&self.head, &self.tail);
        let created_at = summary
            .created_at
            .and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        let stored = StoredSummary {
            summary: summary.text(),
            custom_title: summary.custom_title.as_deref(),
            ai_title: summary.ai_title.as_deref(),
            first_prompt: summary.first_prompt(),
            last_prompt: summary.last_prompt.as_deref(),
            tag: summary.tag.as_deref(),
            cwd: summary.cwd.as_deref(),
            git_branch: summary.git_branch.as_deref(),
            created_at: created_at.and_then(|time| u64::try_from(time.as_millis()).ok()),
            is_sidechain: summary.is_sidechain,
        };
        serde_json::to_vec(&stored).ok().map(Bytes::from)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn summary(ends: &TranscriptEnds) -> Value {
        serde_json::from_slice(&ends.summary().unwrap()).unwrap()
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
        assert!(ends.head.len() + ends.tail.len() <= 3 * LIMIT);
    }
}
