use std::path::Path;

use inhouse_store::SessionStore;

use crate::error::Result;
use crate::mirror;

/// Stores the entries of a session whose [store](crate::Options::store) had failed, and removes their directory.
///
/// The error of the session, of the kind [`Store`](crate::ErrorKind::Store), names the directory. The entries are in a file beside it, whose name
/// is that of the directory with `.unsent.jsonl` at its end; both can be moved to another place or machine together. Returns how many entries the
/// store did not have. Calling it again after an error is safe: nothing is stored twice.
///
/// Entries of several sessions are there after `/clear`. Each session is stored unless it has continued in the store without its entries, or was
/// erased. If one was not stored, the call fails, and the directory and the file stay.
///
/// This call becomes the owner of the sessions that it writes to. If the store has leases, it holds those of these sessions meanwhile, for 30 s at a
/// time. A call to a store that gives no answer is repeated for a minute.
///
/// # Errors
/// [`Held`](crate::ErrorKind::Held), at once and before anything is stored, if a host has the lease of a session. That of the host that has failed ends
/// after [`Options::lease_ttl`](crate::Options::lease_ttl) if the store did not answer to its release. `Store` if there are no unsent entries, if the
/// store fails, or if a session was erased or has continued in the store without these entries; `Fenced` if another owner takes a session
/// meanwhile.
///
/// # Cancellation
/// Dropping the future stops the recovery, which can be repeated. Leases that it holds end by themselves, within 30 s.
pub async fn recover<S>(directory: impl AsRef<Path>, store: &S) -> Result<usize>
where
    S: SessionStore + ?Sized,
{
    mirror::recover(directory.as_ref(), store).await
}
