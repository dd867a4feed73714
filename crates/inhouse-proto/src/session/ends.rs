use std::time::SystemTime;

use super::entry::Entry;
use super::summary::{Summary, lines_backward};

/// The first and the last bytes of a transcript, added entry by entry, from which its [`Summary`] is made.
///
/// They take at most [three times `LIMIT`](Self::LIMIT) of memory, however long the transcript is. A store adapter needs none of this: it
/// gets the summary together with the entries.
///
/// ```
/// use inhouse_proto::session::TranscriptEnds;
///
/// let mut ends = TranscriptEnds::default();
/// ends.push(br#"{"type":"user","uuid":"u","cwd":"/app","message":{"content":"Hello"}}"#);
/// assert_eq!(ends.summary().text(), Some("Hello"));
///
/// ends.push(br#"{"type":"custom-title","customTitle":"Greeting"}"#);
/// assert_eq!(ends.summary().text(), Some("Greeting"));
/// assert_eq!(ends.summary().first_prompt(), Some("Hello"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct TranscriptEnds {
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl TranscriptEnds {
    /// How many bytes the head has at most, and the tail at least if entries were removed from it: 64 KiB.
    pub const LIMIT: usize = 64 << 10;

    /// Adds the next entry of the transcript, without the end of its line.
    pub fn push(&mut self, entry: &[u8]) {
        let (head, rest) = entry.split_at(entry.len().min(Self::LIMIT - self.head.len()));
        self.head.extend_from_slice(head);
        if rest.is_empty() && !self.is_head_full() {
            return self.head.push(b'\n');
        }
        // Shortened at twice the limit, so that few entries cause a move.
        self.tail.extend_from_slice(rest);
        self.tail.push(b'\n');
        if self.tail.len() > 2 * Self::LIMIT {
            self.tail.drain(..self.tail.len() - Self::LIMIT);
        }
    }

    /// Removes the tail, if the next entry does not follow the last one.
    ///
    /// A reader that has filled the head skips to the end of the transcript this way.
    pub fn clear_tail(&mut self) {
        self.tail.clear();
    }

    /// Returns whether the head takes no more bytes.
    #[must_use]
    pub fn is_head_full(&self) -> bool {
        self.head.len() == Self::LIMIT
    }

    /// Returns the first bytes of the transcript. Their last line may be cut.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Returns the last bytes of the transcript behind its head. Their first line may be cut.
    #[must_use]
    pub fn tail(&self) -> &[u8] {
        &self.tail
    }

    /// Returns the lines of the tail and the head, the last one first. Lines that are cut are among them.
    pub fn lines_backward(&self) -> impl Iterator<Item = &[u8]> {
        lines_backward(&self.tail).chain(lines_backward(&self.head))
    }

    /// Reads the summary of the transcript.
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary::read(&self.head, &self.tail)
    }

    /// Returns the time of the last entry that has one; `None` if neither end shows a time.
    #[must_use]
    pub fn last_time(&self) -> Option<SystemTime> {
        self.lines_backward().find_map(|line| {
            let line = String::from_utf8_lossy(line);
            Entry::read(&line)?.created_at()
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn push(ends: &mut TranscriptEnds, entry: &serde_json::Value) {
        ends.push(entry.to_string().as_bytes());
    }

    fn prompt() -> serde_json::Value {
        json!({"type": "user", "uuid": "u", "cwd": "/app", "timestamp": "2026-01-01T00:00:00.000Z",
               "message": {"content": "Hello"}})
    }

    #[test]
    fn summary_of_a_long_transcript_comes_from_both_of_its_ends() {
        let mut ends = TranscriptEnds::default();
        push(&mut ends, &prompt());
        let filler = json!({"type": "x", "text": "x".repeat(1000)});
        for _ in 0..1000 {
            push(&mut ends, &filler);
        }
        push(
            &mut ends,
            &json!({"type": "custom-title", "customTitle": "Greeting"}),
        );
        let summary = ends.summary();
        assert_eq!(summary.text(), Some("Greeting"));
        assert_eq!(summary.first_prompt(), Some("Hello"));
        assert_eq!(summary.cwd.as_deref(), Some("/app"));
        assert!(ends.head().len() + ends.tail().len() <= 3 * TranscriptEnds::LIMIT);
    }

    #[test]
    fn entry_that_exceeds_the_head_continues_in_the_tail() {
        let mut ends = TranscriptEnds::default();
        let entry = json!({"type": "x", "text": "x".repeat(TranscriptEnds::LIMIT)}).to_string();
        ends.push(entry.as_bytes());
        assert!(ends.is_head_full());
        let whole = [ends.head(), ends.tail()].concat();
        assert_eq!(whole, format!("{entry}\n").as_bytes());
    }

    #[test]
    fn last_time_is_that_of_the_last_entry_with_a_time() {
        let mut ends = TranscriptEnds::default();
        assert_eq!(ends.last_time(), None);
        push(&mut ends, &prompt());
        let first = ends.last_time();
        let mut later = prompt();
        later["timestamp"] = "2026-01-01T00:00:05.000Z".into();
        push(&mut ends, &later);
        push(&mut ends, &json!({"type": "tag", "tag": "x"}));
        let seconds = ends
            .last_time()
            .unwrap()
            .duration_since(first.unwrap())
            .unwrap()
            .as_secs();
        assert_eq!(seconds, 5);
    }
}
