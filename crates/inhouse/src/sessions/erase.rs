use std::time::Duration;

use super::location::parse_id;
use crate::error::Result;
use crate::options::Options;
use crate::resume;

/// Erases a session of a [store](Options::store) completely.
///
/// `options` are those that run the session; the [store](Options::store), the [working directory](Options::cwd) and the
/// [root of session directories](Options::session_root) count. Removed are the transcript and those of subagents, the results, the files, the
/// journal and the lease in the store, and the directory of the session on this machine, also one with entries for
/// [`recover`](super::recover()). A session that does not exist is no error, so the call can be repeated after an error.
///
/// A host that runs the session meanwhile ends it with [`Fenced`](crate::ErrorKind::Fenced) at its next write or renewal of the lease, stores
/// nothing more, and removes its directory. What servers keep by themselves is listed at [`SessionStore::erase`]. On another machine, the directory
/// of a host that was killed stays until the session is erased there, too.
///
/// Use [`delete`](super::delete) for a session on disk.
///
/// ```
/// use inhouse::{Options, sessions};
/// use inhouse::store::memory::MemoryStore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> inhouse::Result<()> {
/// # let (root, cwd) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
/// let options = Options::new().store(MemoryStore::new()).cwd("/srv/agent");
/// # let options = options.cwd(cwd.path()).session_root(root.path());
/// sessions::erase(&options, "0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11").await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// `Config` without a store, and for an id that is not a UUID; `Store` if the store fails for a minute or gives no answer in two attempts of ten
/// minutes, or if the directory cannot be removed.
///
/// [`SessionStore::erase`]: inhouse_store::SessionStore::erase
pub async fn erase(options: &Options, id: &str) -> Result<()> {
    resume::erase(options, &parse_id(id)?).await
}

/// Erases the sessions of a [store](Options::store) that were not written to for `idle`; returns how many the store had.
///
/// Only sessions of the [working directory](Options::cwd) of `options` are erased, completely, as [`erase`] does. Those with a lease that has not run
/// out are kept. On this machine, directories that hosts have left behind are removed after the same time, also with entries for
/// [`recover`](super::recover()). For all projects at once, use [`SessionStore::erase_idle`].
///
/// ```
/// use std::time::Duration;
///
/// use inhouse::{Options, sessions};
/// use inhouse::store::memory::MemoryStore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> inhouse::Result<()> {
/// # let (root, cwd) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
/// let options = Options::new().store(MemoryStore::new()).cwd("/srv/agent");
/// # let options = options.cwd(cwd.path()).session_root(root.path());
/// let month = Duration::from_secs(30 * 24 * 60 * 60);
/// assert_eq!(sessions::erase_idle(&options, month).await?, 0);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// `Config` without a store; `Store` if the store fails for a minute or gives no answer in two attempts of ten minutes, or if a directory cannot be
/// removed.
///
/// [`SessionStore::erase_idle`]: inhouse_store::SessionStore::erase_idle
pub async fn erase_idle(options: &Options, idle: Duration) -> Result<u64> {
    resume::erase_idle(options, idle).await
}
