use std::time::SystemTime;

use inhouse_proto::session::Entry;
use inhouse_store::Position;

use super::StreamReader;
use crate::error::Result;
use crate::mirror::{END_BYTES, TranscriptEnds};

/// How many entries are read first to fill the tail.
const TAIL: u64 = 64;

impl TranscriptEnds {
    /// Reads both ends of a stream, without the entries in between.
    pub(super) async fn read(mut reader: StreamReader) -> Result<Self> {
        let mut ends = Self::default();
        let end = reader.end();
        while !ends.is_head_full() {
            let entries = reader.next_up_to(usize::MAX, END_BYTES).await?;
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
            if start == behind_head || ends.tail.len() >= END_BYTES {
                return Ok(ends);
            }
            count = count.saturating_mul(8);
        }
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
}
