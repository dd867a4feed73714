use std::collections::HashMap;
use std::mem;

use bytes::Bytes;
use inhouse_proto::session::{SessionId, TranscriptEnds};
use inhouse_store::{Erase, FilePath, Position, SessionStore as _, StreamKey};

use super::{OwnedSession, StoredProject, StreamReader, end_of};
use crate::error::{Error, Result};
use crate::mirror::{StoredSummary, persist};
use crate::resume::{results_of, store_error};

/// Number of bytes that are appended at once, unless a single entry is longer.
const APPEND: usize = 1 << 20;

/// A session that is being written to a store.
///
/// Entries that the store has already are compared, so that a copy which was cut off can be repeated.
pub(in crate::sessions) struct StoreImport {
    owned: OwnedSession,
    streams: HashMap<Option<String>, Target>,
    /// Number of bytes that are not stored yet.
    size: usize,
    ends: TranscriptEnds,
}

/// A stream that is being written.
struct Target {
    /// Reads the entries that the store had before.
    stored: StreamReader,
    /// The position of the first pending entry.
    position: Position,
    pending: Vec<Bytes>,
}

impl StoreImport {
    pub(in crate::sessions) async fn begin(
        project: &StoredProject,
        id: &SessionId,
    ) -> Result<Self> {
        Ok(Self {
            owned: project.own(id).await?,
            streams: HashMap::new(),
            size: 0,
            ends: TranscriptEnds::default(),
        })
    }

    pub(in crate::sessions) async fn push(
        &mut self,
        subpath: Option<String>,
        line: String,
    ) -> Result<()> {
        if self.size + line.len() > APPEND {
            self.flush().await?;
        }
        if !self.streams.contains_key(&subpath) {
            let stream = self.stream(subpath.as_deref())?;
            let end = end_of(&*self.owned.store, &stream).await?;
            let target = Target {
                stored: StreamReader::new(&self.owned.store, stream, end),
                position: Position::START,
                pending: Vec::new(),
            };
            self.streams.insert(subpath.clone(), target);
        }
        self.size += line.len();
        let target = self.streams.get_mut(&subpath).expect("inserted above");
        target.pending.push(line.into());
        Ok(())
    }

    pub(in crate::sessions) async fn push_file(
        &mut self,
        path: &FilePath,
        content: Bytes,
    ) -> Result<()> {
        // A session with other entries keeps its files, too.
        self.flush().await?;
        self.reject_more()?;
        self.owned.put_file(path, content).await
    }

    /// Stores what is left, and ends the ownership.
    pub(in crate::sessions) async fn finish(mut self) -> Result<()> {
        let flushed = self.flush().await;
        let stored = flushed.and_then(|()| self.reject_more());
        self.cancel().await;
        stored
    }

    /// Ends the ownership. What is stored remains.
    pub(in crate::sessions) async fn cancel(self) {
        self.owned.release().await;
    }

    /// Ends the ownership, and removes what is stored.
    pub(in crate::sessions) async fn abandon(self) {
        let erased = Erase::from(self.owned.key.clone());
        if let Err(error) = persist(|| self.owned.store.erase(&erased)).await {
            tracing::warn!(%error, "incomplete copy of a session not erased");
        }
        self.cancel().await;
    }

    async fn flush(&mut self) -> Result<()> {
        self.size = 0;
        let mut streams = mem::take(&mut self.streams);
        for target in streams.values_mut() {
            self.store(target).await?;
        }
        self.streams = streams;
        Ok(())
    }

    async fn store(&mut self, target: &mut Target) -> Result<()> {
        let mut pending = mem::take(&mut target.pending);
        let is_main = target.stored.subpath().is_none();
        if is_main {
            pending.iter().for_each(|entry| self.ends.push(entry));
        }
        let start = target.position;
        target.position = start.after(pending.len());
        let mut compared = 0;
        while compared < pending.len() {
            let stored = target
                .stored
                .next_up_to(pending.len() - compared, APPEND)
                .await?;
            if stored.is_empty() {
                break;
            }
            if stored[..] != pending[compared..][..stored.len()] {
                return Err(self.other_content());
            }
            compared += stored.len();
        }
        let entries = pending.split_off(compared);
        if entries.is_empty() {
            return Ok(());
        }
        let summary = is_main.then(|| StoredSummary::from(&self.ends.summary()).encode());
        let stream = self.stream(target.stored.subpath())?;
        let position = start.after(compared);
        self.owned.append(&stream, position, entries, summary).await
    }

    fn stream(&self, subpath: Option<&str>) -> Result<StreamKey> {
        let key = &self.owned.key;
        let Some(subpath) = subpath else {
            return Ok(key.main());
        };
        let stream = key.stream(subpath).map_err(store_error)?;
        if stream == results_of(key) {
            let text = format!("the subpath {subpath:?} is that of the results in a store");
            return Err(Error::config(text));
        }
        Ok(stream)
    }

    /// # Errors
    /// `Config` if the store had more entries than were pushed.
    fn reject_more(&self) -> Result<()> {
        let mut streams = self.streams.values();
        match streams.any(|target| target.position < target.stored.end()) {
            true => Err(self.other_content()),
            false => Ok(()),
        }
    }

    fn other_content(&self) -> Error {
        let text = format!(
            "the store has other entries of session {}; erase that session, or import into another project",
            self.owned.key.session()
        );
        Error::config(text)
    }
}
