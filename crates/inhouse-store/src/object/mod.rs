//! A store on S3, Azure Blob Storage, Google Cloud Storage or a local directory.

mod erase;
mod index;
mod log;
mod record;
mod store;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use object_store::path::Path;

use crate::SessionKey;
use index::Index;

/// A store on any [`object_store::ObjectStore`]. It has neither leases nor a journal.
///
/// # Layout
///
/// Every session has a log of small objects with consecutive numbers: one for each append, each new owner and each file. A write is a
/// *conditional create* of the next number, so of two writers one fails, reads what the other wrote, and finds out whether it was fenced. The
/// objects of a log are never changed, apart from erasure.
///
/// | object | content |
/// |---|---|
/// | `<prefix>/<project>/logs/<session>/<number>` | a record of the log |
/// | `<prefix>/<project>/files/<session>/<epoch>-<uuid>` | the content of a file that a record names |
/// | `<prefix>/<project>/heads/<session>` | the end and the summary, for lists; a hint, which is compared with the log |
///
/// An append of entries takes three requests (create, head, list), a read of a session that is new to this process two for each append that there was.
/// Records of at least 1 KiB are compressed if that saves an eighth of them.
///
/// # Requirements
///
/// Everything rests on `PutMode::Create`: of several creates of one name at the same time, exactly one must succeed, and an object must be listed right
/// after it was created. A backend that looks first and writes later loses acknowledged appends when two owners write at the same time. The battery
/// of the test kit has a contract for that, `owners_that_race_leave_no_gap_and_no_duplicate`.
///
/// | backend | checked by the battery |
/// |---|---|
/// | `InMemory`, `LocalFileSystem` | completely |
/// | Amazon S3 | requests and answers, with the server `s3s-fs`; its creates are not atomic, so the test sends them one by one |
/// | Azure Blob Storage | completely, with the emulator Azurite |
/// | Google Cloud Storage | untested |
///
/// # Erasure
///
/// An erased session leaves one marker without content, with the number of its last epoch, so that a former owner stays fenced. A write that
/// meets the erasure removes what it has written; one that is cut off at that moment, because its host dies, may leave it until the session is
/// erased again.
///
/// For [`erase_idle`](crate::SessionStore::erase_idle) a new owner counts like an append, because there are no leases, and ages are computed with the
/// clock of this machine. The marker is a conditional create, too: a session that is written to at the same time is kept. Many backends have times
/// of whole seconds, so a session that became idle less than a minute ago may be kept until the next erasure.
///
/// ```
/// use inhouse_store::object::ObjectStore;
/// use inhouse_store::{Append, Position, SessionKey, SessionStore};
/// use object_store::memory::InMemory;
/// use std::sync::Arc;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> inhouse_store::Result<()> {
/// let backend = Arc::new(InMemory::new());
/// let store = ObjectStore::new(backend.clone()).prefix("agents");
/// let session = SessionKey::new("project", "session")?;
/// let epoch = store.fence(&session, None).await?;
/// store.append(&session.main(), &Append::new(epoch, Position::START, ["{}"])).await?;
///
/// let another_host = ObjectStore::new(backend).prefix("agents");
/// assert_eq!(another_host.read(&session.main()).await?, ["{}"]);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct ObjectStore {
    backend: Arc<dyn object_store::ObjectStore>,
    prefix: Path,
    /// The state of each log as far as it was read. Records never change, so it only grows, up to an erasure.
    indexes: Arc<Mutex<HashMap<SessionKey, SharedIndex>>>,
}

/// The index of one session. The lock is held over requests, so calls of one process for one session wait for each other.
type SharedIndex = Arc<futures_util::lock::Mutex<Index>>;

impl ObjectStore {
    /// Creates a store on a backend, at its root.
    pub fn new(backend: Arc<dyn object_store::ObjectStore>) -> Self {
        Self {
            backend,
            prefix: Path::default(),
            indexes: Arc::default(),
        }
    }

    /// Puts all objects below a path; the root by default.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<Path>) -> Self {
        self.prefix = prefix.into();
        self.indexes = Arc::default();
        self
    }
}

impl fmt::Debug for ObjectStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectStore")
            .field("backend", &self.backend)
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}
