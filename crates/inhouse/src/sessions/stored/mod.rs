//! Sessions of a [store](inhouse_store::SessionStore).
//!
//! The entries of a session are the same as those of a transcript on disk, so everything that is computed from them is shared with the disk.
//!
//! | file | what it holds |
//! |---|---|
//! | `entries` | reading the entries of a stream, in batches |
//! | `ends` | both ends of a main stream |
//! | `owned` | the right to write to a session, and its writes |
//! | `list` | lists and information |
//! | `subagents` | subagents and their metadata |
//! | `changes` | titles, tags, the archive mark and deletion |
//! | `copy` | writing a session that is forked or imported |

mod changes;
mod copy;
mod ends;
mod entries;
mod list;
mod owned;
mod subagents;

use std::path::PathBuf;
use std::sync::Arc;

use inhouse_proto::session::{SessionId, Summary};
use inhouse_store::{Position, ProjectKey, SessionKey, SessionStore, StreamKey};

pub(super) use self::copy::StoreImport;
use self::ends::read_ends;
pub(super) use self::entries::{StreamReader, text_of};
use self::owned::OwnedSession;
use crate::error::{Error, ErrorKind, Result};
use crate::mirror::persist;
use crate::resume::{results_of, store_error};

/// The sessions of a project in a store.
#[derive(Clone)]
pub(super) struct StoredProject {
    store: Arc<dyn SessionStore>,
    key: ProjectKey,
    /// The real path of the project.
    path: PathBuf,
}

/// A session that a store has.
pub(super) struct StoredSession {
    pub(super) store: Arc<dyn SessionStore>,
    pub(super) id: SessionId,
    pub(super) key: SessionKey,
    /// The end of the main stream when the session was found.
    end: Position,
}

impl StoredProject {
    pub(super) fn new(store: Arc<dyn SessionStore>, key: String, path: PathBuf) -> Result<Self> {
        let key = ProjectKey::new(key).map_err(store_error)?;
        Ok(Self { store, key, path })
    }

    /// Finds a session.
    ///
    /// # Errors
    /// `SessionNotFound` if the project has no entries of it; `Store` if the store fails.
    pub(super) async fn find(&self, id: &SessionId) -> Result<StoredSession> {
        let key = self.session(id)?;
        let end = end_of(&*self.store, &key.main()).await?;
        if end == Position::START {
            let text = format!(
                "the store has no session {id} in the project {}; `Sessions::project` sets another one",
                self.path.display()
            );
            return Err(Error::new(ErrorKind::SessionNotFound, text));
        }
        Ok(StoredSession {
            store: Arc::clone(&self.store),
            id: id.clone(),
            key,
            end,
        })
    }

    fn session(&self, id: &SessionId) -> Result<SessionKey> {
        self.key.session(id.to_string()).map_err(store_error)
    }
}

impl StoredSession {
    /// Returns a reader of the entries that the main stream had when the session was found.
    pub(super) fn main(&self) -> StreamReader {
        StreamReader::new(&self.store, self.key.main(), self.end)
    }

    /// Reads the summary of the session.
    pub(super) async fn summary(&self) -> Result<Summary> {
        Ok(read_ends(self.main()).await?.summary())
    }

    /// Returns a reader of the entries that another stream has now.
    pub(super) async fn read(&self, stream: StreamKey) -> Result<StreamReader> {
        let end = end_of(&*self.store, &stream).await?;
        Ok(StreamReader::new(&self.store, stream, end))
    }

    /// Returns the streams with transcripts below the session, in the order of their subpaths.
    pub(super) async fn transcripts(&self) -> Result<Vec<StreamKey>> {
        let streams = persist(|| self.store.subpaths(&self.key)).await;
        let mut streams = streams.map_err(store_error)?;
        streams.retain(|stream| *stream != results_of(&self.key));
        Ok(streams)
    }
}

async fn end_of(store: &dyn SessionStore, stream: &StreamKey) -> Result<Position> {
    persist(|| store.end(stream)).await.map_err(store_error)
}
