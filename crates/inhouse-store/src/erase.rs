//! The data that an erasure removes.

use crate::{ProjectKey, SessionKey, StreamKey};

/// The data that [`SessionStore::erase`](crate::SessionStore::erase) removes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Erase {
    /// The entries of one subpath. For the main stream of a session the same as [`Erase::Session`].
    Stream(StreamKey),
    /// A session: all of its streams, files, summary, lease and journal.
    Session(SessionKey),
    /// Every session of a project.
    Project(ProjectKey),
}

impl From<StreamKey> for Erase {
    fn from(key: StreamKey) -> Self {
        Self::Stream(key)
    }
}

impl From<SessionKey> for Erase {
    fn from(key: SessionKey) -> Self {
        Self::Session(key)
    }
}

impl From<ProjectKey> for Erase {
    fn from(key: ProjectKey) -> Self {
        Self::Project(key)
    }
}
