use std::time::SystemTime;

use inhouse_proto::session::{Entry, Summary};
use inhouse_store::Position;

use super::StreamReader;
use crate::error::Result;

/// How many bytes of each end of a transcript are kept.
const LIMIT: usize = 64 << 10;

/// How many entries are read first to fill the tail.
const TAIL: u64 = 64;

/// The first and the last bytes of a transcript, from which its summary is made.
///
/// They take the same amount of memory for a transcript of any length.
#[derive(Default)]
pub(super) struct TranscriptEnds {
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl TranscriptEnds {
    /// Reads both ends of a stream, without the entries in between.
    pub(super) async fn read(mut reader: StreamReader) -> Result<Self> {
        let mut ends = Self::default();
        let end = reader.end();
        while !ends.is_head_full() {
            let entries = reader.next_up_to(usize::MAX, LIMIT).await?;
            if entries.is_empty() {
                return Ok(ends);
            }
            entries.iter().for_each(|entry| ends.push(entry));
        }
        let (behind_head, rest_of_head) = (reader.position(), ends.tail.clone());
        let mut count = TAIL;
        loop {
            let start = Position::new(end.get().saturating_sub(count)).max(behind_head);
            ends.tail.clear();
            if start == behind_head {
                ends.tail.extend_from_slice(&rest_of_head);
            }
            reader.seek(start);
            loop {
                let entries = reader.next().await?;
                if entries.is_empty() {
                    break;
                }
                entries.iter().for_each(|entry| ends.push(entry));
            }
            if start == behind_head || ends.tail.len() >= LIMIT {
                return Ok(ends);
            }
            count = count.saturating_mul(8);
        }
    }

    /// Adds an entry.
    pub(super) fn push(&mut self, entry: &[u8]) {
        let (head, rest) = entry.split_at(entry.len().min(LIMIT - self.head.len()));
        self.head.extend_from_slice(head);
        if rest.is_empty() && !self.is_head_full() {
            return self.head.push(b'\n');
        }
        // Shortened at twice the limit, so that few entries cause a move.
        self.tail.extend_from_slice(rest);
        self.tail.push(b'\n');
        if self.tail.len() > 2 * LIMIT {
            self.tail.drain(..self.tail.len() - LIMIT);
        }
    }

    pub(super) fn summary(&self) -> Summary {
        Summary::read(&self.head, &self.tail)
    }

    /// Returns the time of the last entry that has one, as far as both ends show; the Unix epoch if there is none.
    pub(super) fn last_time(&self) -> SystemTime {
        let time = self.lines_backward().find_map(|line| {
            let line = String::from_utf8_lossy(line);
            Entry::read(&line)?.created_at()
        });
        time.unwrap_or(SystemTime::UNIX_EPOCH)
    }

    /// Returns the lines of the tail and the head, the last one first. Lines that are cut are among them.
    pub(super) fn lines_backward(&self) -> impl Iterator<Item = &[u8]> {
        let ends = [&self.tail, &self.head].into_iter();
        ends.flat_map(|bytes| bytes.rsplit(|byte| *byte == b'\n'))
    }

    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }

    pub(super) fn tail(&self) -> &[u8] {
        &self.tail
    }

    fn is_head_full(&self) -> bool {
        self.head.len() == LIMIT
    }
}
