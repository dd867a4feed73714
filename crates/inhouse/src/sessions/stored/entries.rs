use std::sync::Arc;

use bytes::Bytes;
use inhouse_store::{Position, SessionStore, StreamKey};

use crate::error::{Error, ErrorKind, Result};
use crate::mirror::read_entries;
use crate::resume::store_error;

/// Number of bytes after which a batch is complete.
const BATCH: usize = 1 << 20;

/// Reads the entries of a stream in batches.
///
/// Each batch is a separate call, which is repeated after an error. No stream of the store is open in between: it may hold a connection.
#[derive(Clone)]
pub(in crate::sessions) struct StreamReader {
    store: Arc<dyn SessionStore>,
    stream: StreamKey,
    /// The position of the next entry.
    next: Position,
    end: Position,
}

impl StreamReader {
    /// Creates a reader from the start of a stream up to `end`.
    pub(super) fn new(store: &Arc<dyn SessionStore>, stream: StreamKey, end: Position) -> Self {
        Self {
            store: Arc::clone(store),
            stream,
            next: Position::START,
            end,
        }
    }

    pub(in crate::sessions) fn subpath(&self) -> Option<&str> {
        self.stream.subpath()
    }

    /// Returns the position of the next entry.
    pub(in crate::sessions) fn position(&self) -> Position {
        self.next
    }

    pub(super) fn end(&self) -> Position {
        self.end
    }

    /// Continues at another position.
    pub(in crate::sessions) fn seek(&mut self, position: Position) {
        self.next = position;
    }

    /// Returns the next entries, about 1 MiB of them; none at the end.
    pub(in crate::sessions) async fn next(&mut self) -> Result<Vec<Bytes>> {
        self.next_up_to(usize::MAX, BATCH).await
    }

    /// Returns the next entries: at most `count`, and none after those with `size` bytes; none at the end.
    pub(in crate::sessions) async fn next_up_to(
        &mut self,
        count: usize,
        size: usize,
    ) -> Result<Vec<Bytes>> {
        let left = self.end.get().saturating_sub(self.next.get());
        let count = count.min(usize::try_from(left).unwrap_or(usize::MAX));
        if count == 0 {
            return Ok(Vec::new());
        }
        let entries = read_entries(&*self.store, &self.stream, self.next, count, size).await;
        let entries = entries.map_err(store_error)?;
        self.next = self.next.after(entries.len());
        Ok(entries)
    }
}

/// Returns the text of an entry.
///
/// # Errors
/// `Store` if the entry is not text.
pub(in crate::sessions) fn text_of(entry: Bytes) -> Result<String> {
    String::from_utf8(entry.into()).map_err(|error| {
        let text = "an entry in the store is not text; the store may be encrypted";
        Error::new(ErrorKind::Store, text).with_source(error)
    })
}
