use std::sync::Arc;

use bytes::Bytes;
use inhouse_proto::session::SessionId;
use inhouse_store::{Append, Epoch, FilePath, Position, SessionKey, SessionStore, StreamKey};

use super::StoredProject;
use crate::error::Result;
use crate::mirror::persist;
use crate::options::Options;
use crate::resume::store_error;
use crate::sessions::SessionLease;

/// A session that this call may write to.
pub(super) struct OwnedSession {
    pub(super) store: Arc<dyn SessionStore>,
    pub(super) key: SessionKey,
    epoch: Epoch,
    /// `None` if the store has no leases.
    lease: Option<SessionLease>,
}

impl StoredProject {
    /// Becomes the owner of a session, which need not exist.
    ///
    /// # Errors
    /// `Held` if another host has the lease of the session; `Timeout` or `Store` if the store fails.
    pub(super) async fn own(&self, id: &SessionId) -> Result<OwnedSession> {
        let key = self.session(id)?;
        let (epoch, lease) = match self.store.leases() {
            Some(_) => {
                let lease = SessionLease::acquire(&self.options(), id.to_string()).await?;
                (lease.epoch(), Some(lease))
            }
            None => {
                let epoch = persist(|| self.store.fence(&key, None)).await;
                (epoch.map_err(store_error)?, None)
            }
        };
        Ok(OwnedSession {
            store: Arc::clone(&self.store),
            key,
            epoch,
            lease,
        })
    }

    /// Returns the options of a host that runs sessions of this project.
    pub(super) fn options(&self) -> Options {
        Options::new()
            .store(Arc::clone(&self.store))
            .cwd(&self.path)
    }
}

impl OwnedSession {
    /// Appends entries to a stream.
    pub(super) async fn append(
        &self,
        stream: &StreamKey,
        position: Position,
        entries: Vec<Bytes>,
        summary: Option<Bytes>,
    ) -> Result<()> {
        let mut append = Append::new(self.epoch, position, entries);
        append.summary = summary;
        let appended = persist(|| self.store.append(stream, &append)).await;
        appended.map(drop).map_err(store_error)
    }

    pub(super) async fn put_file(&self, path: &FilePath, content: Bytes) -> Result<()> {
        let (key, epoch) = (&self.key, self.epoch);
        let put = persist(|| self.store.put_file(key, epoch, path, content.clone())).await;
        put.map_err(store_error)
    }

    /// Releases the lease, so that the next owner need not wait.
    pub(super) async fn release(self) {
        if let Some(lease) = self.lease {
            lease.release().await;
        }
    }
}
