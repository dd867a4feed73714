use inhouse_proto::session::TranscriptEnds;
use inhouse_store::Position;

use super::StreamReader;
use crate::error::Result;

/// How many entries are read first to fill the tail.
const TAIL: u64 = 64;

/// Reads both ends of a stream, without the entries in between.
pub(super) async fn read_ends(mut reader: StreamReader) -> Result<TranscriptEnds> {
    let mut first = TranscriptEnds::default();
    let end = reader.end();
    while !first.is_head_full() {
        let entries = reader.next_up_to(usize::MAX, TranscriptEnds::LIMIT).await?;
        if entries.is_empty() {
            return Ok(first);
        }
        entries.iter().for_each(|entry| first.push(entry));
    }
    let behind_head = reader.position();
    let mut count = TAIL;
    loop {
        let start = Position::new(end.get().saturating_sub(count)).max(behind_head);
        let mut ends = first.clone();
        if start > behind_head {
            ends.clear_tail();
        }
        reader.seek(start);
        loop {
            let entries = reader.next().await?;
            if entries.is_empty() {
                break;
            }
            entries.iter().for_each(|entry| ends.push(entry));
        }
        if start == behind_head || ends.tail().len() >= TranscriptEnds::LIMIT {
            return Ok(ends);
        }
        count = count.saturating_mul(8);
    }
}
