//! Encryption of what a store keeps, by a wrapper around it.

mod keys;
mod place;
mod store;

use std::fmt;
use std::sync::Arc;

pub use self::keys::EncryptionKeys;

/// A store that encrypts everything before it reaches the store inside.
///
/// Encrypted are entries, summaries, the content of files, and the messages, inputs and results of the journal: each with XChaCha20-Poly1305
/// and a new random nonce. Leases and journal are those of the store inside, if it has them.
///
/// | access to the store inside | does not allow |
/// |---|---|
/// | reading | to read the content |
/// | writing | to change a record, to move it to another position, stream, session, file or call, or to insert one |
///
/// # What is not hidden
///
/// - Keys of projects (they contain the working directory), ids of sessions, subpaths, paths of files, names of tools and ids of their calls, owners
///   of leases.
/// - The number, the order, the lengths and the times of entries and files.
/// - That an older record is put back at its place, and that the newest entries, files or calls are removed. Neither is detected.
///
/// Encrypted data cannot be compressed, so a store that compresses needs more space with it.
///
/// # An existing store
///
/// A store is encrypted from its first session on: records that are not encrypted fail with
/// [`Corrupt`](crate::StoreErrorKind::Corrupt), because otherwise they could be inserted by others. A record of a key that is not among the
/// [`EncryptionKeys`] fails with [`UnknownKey`](crate::StoreErrorKind::UnknownKey).
///
#[cfg_attr(feature = "memory", doc = "```")]
#[cfg_attr(not(feature = "memory"), doc = "```text")]
/// use inhouse_store::encrypt::{EncryptedStore, EncryptionKeys};
/// use inhouse_store::memory::MemoryStore;
/// use inhouse_store::{Append, Position, SessionKey, SessionStore, StoreErrorKind};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> inhouse_store::Result<()> {
/// # let (key, another) = ([1; 32], [2; 32]);
/// let inner = MemoryStore::new();
/// let store = EncryptedStore::new(inner.clone(), EncryptionKeys::new(key));
/// let session = SessionKey::new("project", "session")?;
/// let epoch = store.fence(&session, None).await?;
/// store.append(&session.main(), &Append::new(epoch, Position::START, ["{}"])).await?;
///
/// assert_eq!(store.read(&session.main()).await?, ["{}"]);
/// assert_ne!(inner.read(&session.main()).await?, ["{}"]);
/// let stranger = EncryptedStore::new(inner, EncryptionKeys::new(another));
/// let error = stranger.read(&session.main()).await.unwrap_err();
/// assert_eq!(error.kind(), StoreErrorKind::UnknownKey);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct EncryptedStore<S> {
    inner: S,
    keys: Arc<EncryptionKeys>,
}

impl<S> EncryptedStore<S> {
    /// Creates an encrypted store on another store.
    pub fn new(inner: S, keys: EncryptionKeys) -> Self {
        Self {
            inner,
            keys: Arc::new(keys),
        }
    }
}

impl<S: fmt::Debug> fmt::Debug for EncryptedStore<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncryptedStore")
            .field("inner", &self.inner)
            .field("keys", &self.keys)
            .finish()
    }
}
