use std::path::Path;

use inhouse_store::SessionStore;

use crate::error::Result;
use crate::mirror;

/// Stores the entries of a session whose [store](crate::Options::store) had failed, and removes their directory.
///
/// The error of the session, of the kind [`Store`](crate::ErrorKind::Store), names the directory. Returns how many entries the store
/// did not have. Calling it again after an error is safe: nothing is stored twice. The session must not run elsewhere
/// meanwhile: this call becomes its owner.
///
/// # Errors
/// `Store` if the directory has no unsent entries, if the store fails, or if the session has continued in the store without
/// these entries; `Fenced` if another owner takes the session meanwhile.
pub async fn recover<S>(directory: impl AsRef<Path>, store: &S) -> Result<usize>
where
    S: SessionStore + ?Sized,
{
    mirror::recover(directory.as_ref(), store).await
}
