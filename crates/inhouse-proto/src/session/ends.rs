use std::time::SystemTime;

use super::entry::Entry;
use super::summary::{Summary, lines_backward};

/// The first and the last bytes of a transcript, added entry by entry, from which its [`Summary`] is made.
///
/// They hold at most three times [`LIMIT`](Self::LIMIT) bytes, however long the transcript is. A store adapter does not need them: it gets
/// the summary together with the entries.
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
    /// Maximum length of the head, and the length to which the tail is shortened, in bytes: 64 KiB.
    pub const LIMIT: usize = 64 << 10;

    /// Adds the next entry of the transcript, without the end of its line.
    pub fn push(&mut self, entry: &[u8]) {
        let (head, rest) = entry.split_at(entry.len().min(Self::LIMIT - self.head.len()));
        self.head.extend_from_slice(head);
        if rest.is_empty() && !self.is_head_full() {
            return self.head.push(b'\n');
        }
        // The start of a long entry would be removed below; this way it takes no memory either.
        let rest = &rest[rest.len().saturating_sub(2 * Self::LIMIT)..];
        // Shortened at twice the limit, so that few entries cause a move.
        self.tail.extend_from_slice(rest);
        self.tail.push(b'\n');
        if self.tail.len() > 2 * Self::LIMIT {
            self.tail.drain(..self.tail.len() - Self::LIMIT);
        }
    }

    /// Clears the tail. A reader that skips entries calls it before it pushes the next one.
    #[doc(hidden)]
    pub fn clear_tail(&mut self) {
        self.tail.clear();
    }

    /// Returns whether the head is full.
    #[doc(hidden)]
    #[must_use]
    pub fn is_head_full(&self) -> bool {
        self.head.len() == Self::LIMIT
    }

    /// Returns the first bytes of the transcript. Their last line may be cut.
    #[doc(hidden)]
    #[must_use]
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Returns the last bytes of the transcript behind its head. Their first line may be cut.
    #[doc(hidden)]
    #[must_use]
    pub fn tail(&self) -> &[u8] {
        &self.tail
    }

    /// Returns the lines of the tail and the head, the last one first. Lines that are cut are among them.
    #[doc(hidden)]
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
        assert_eq!(ends.head().len(), TranscriptEnds::LIMIT);
        let tail = TranscriptEnds::LIMIT..=2 * TranscriptEnds::LIMIT;
        assert!(tail.contains(&ends.tail().len()));
    }

    #[test]
    fn long_entry_takes_no_more_memory_than_both_ends() {
        let mut ends = TranscriptEnds::default();
        let entry = "x".repeat(100 * TranscriptEnds::LIMIT);
        for _ in 0..3 {
            ends.push(entry.as_bytes());
        }
        assert_eq!(ends.tail().len(), TranscriptEnds::LIMIT);
        assert!(ends.tail.capacity() <= 8 * TranscriptEnds::LIMIT);
    }

    #[test]
    fn end_of_an_entry_that_fills_the_head_is_in_the_tail() {
        let mut ends = TranscriptEnds::default();
        ends.push("x".repeat(TranscriptEnds::LIMIT).as_bytes());
        assert!(ends.is_head_full());
        assert_eq!(ends.tail(), b"\n");
        ends.clear_tail();
        ends.push(b"{}");
        assert_eq!(ends.tail(), b"{}\n");
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
