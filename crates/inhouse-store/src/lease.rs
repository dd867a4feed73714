//! Leases: which host may run a session.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use crate::{Epoch, Result, SessionKey};

/// The right to run a session for a limited time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lease {
    /// The session that is leased.
    pub session: SessionKey,
    /// The name of the owner.
    pub owner: String,
    /// The epoch of this acquisition, for every write.
    pub epoch: Epoch,
    /// The end of the lease, by the clock of the store.
    ///
    /// A host that compares times adds the requested duration to its own clock *before* the call instead: clocks of two machines differ.
    pub until: SystemTime,
}

impl Lease {
    /// Creates a lease, for authors of stores.
    pub fn new(
        session: SessionKey,
        owner: impl Into<String>,
        epoch: Epoch,
        until: SystemTime,
    ) -> Self {
        Self {
            session,
            owner: owner.into(),
            epoch,
            until,
        }
    }
}

/// Grants sessions to owners, one at a time.
///
/// All times are those of the store's clock. A lease that has run out stays valid for writes until another owner acquires the session: the epoch
/// decides, not the time.
#[async_trait]
pub trait Leases: Send + Sync {
    /// Acquires a session for `ttl` under a new epoch, which fences all earlier ones.
    ///
    /// A lease that has run out is taken over. So is one with the same owner name, with a new epoch: a host that was restarted does not wait for its
    /// former lease, and that one is fenced.
    ///
    #[cfg_attr(feature = "memory", doc = "```")]
    #[cfg_attr(not(feature = "memory"), doc = "```text")]
    /// use std::time::Duration;
    ///
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{Leases, SessionKey, StoreErrorKind};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// # let (store, session) = (MemoryStore::new(), SessionKey::new("project", "session")?);
    /// let minute = Duration::from_secs(60);
    /// let lease = store.acquire(&session, "host-1", minute).await?;
    /// assert_eq!(lease.owner, "host-1");
    ///
    /// let error = store.acquire(&session, "host-2", minute).await.unwrap_err();
    /// assert_eq!(error.kind(), StoreErrorKind::Held);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Held`](crate::StoreErrorKind::Held) if another owner has a lease that has not run out.
    async fn acquire(&self, session: &SessionKey, owner: &str, ttl: Duration) -> Result<Lease>;

    /// Extends a lease to `ttl` from now. A lease that has run out and was not taken over is extended as well.
    ///
    #[cfg_attr(feature = "memory", doc = "```")]
    #[cfg_attr(not(feature = "memory"), doc = "```text")]
    /// use std::time::Duration;
    ///
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{Leases, SessionKey};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// # let (store, session) = (MemoryStore::new(), SessionKey::new("project", "session")?);
    /// let minute = Duration::from_secs(60);
    /// let lease = store.acquire(&session, "host-1", minute).await?;
    /// let renewed = store.renew(&lease, 2 * minute).await?;
    /// assert_eq!(renewed.epoch, lease.epoch);
    /// assert!(renewed.until > lease.until);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Fenced`](crate::StoreErrorKind::Fenced) if the session was acquired again, released or erased.
    async fn renew(&self, lease: &Lease, ttl: Duration) -> Result<Lease>;

    /// Ends a lease, so that the next owner need not wait. Does nothing if the lease is lost already.
    ///
    #[cfg_attr(feature = "memory", doc = "```")]
    #[cfg_attr(not(feature = "memory"), doc = "```text")]
    /// use std::time::Duration;
    ///
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{Leases, SessionKey};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// # let (store, session) = (MemoryStore::new(), SessionKey::new("project", "session")?);
    /// let minute = Duration::from_secs(60);
    /// let lease = store.acquire(&session, "host-1", minute).await?;
    /// store.release(&lease).await?;
    /// assert!(store.acquire(&session, "host-2", minute).await?.epoch > lease.epoch);
    /// # Ok(()) }
    /// ```
    async fn release(&self, lease: &Lease) -> Result<()>;

    /// Returns the lease of a session, also one that has run out; `None` if it is not leased.
    ///
    #[cfg_attr(feature = "memory", doc = "```")]
    #[cfg_attr(not(feature = "memory"), doc = "```text")]
    /// use std::time::Duration;
    ///
    /// use inhouse_store::memory::MemoryStore;
    /// use inhouse_store::{Leases, SessionKey};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inhouse_store::Result<()> {
    /// # let (store, session) = (MemoryStore::new(), SessionKey::new("project", "session")?);
    /// let minute = Duration::from_secs(60);
    /// assert_eq!(store.holder(&session).await?, None);
    /// store.acquire(&session, "host-1", minute).await?;
    /// assert_eq!(store.holder(&session).await?.unwrap().owner, "host-1");
    /// # Ok(()) }
    /// ```
    async fn holder(&self, session: &SessionKey) -> Result<Option<Lease>>;
}

#[async_trait]
impl<S: Leases + ?Sized> Leases for Arc<S> {
    async fn acquire(&self, session: &SessionKey, owner: &str, ttl: Duration) -> Result<Lease> {
        (**self).acquire(session, owner, ttl).await
    }

    async fn renew(&self, lease: &Lease, ttl: Duration) -> Result<Lease> {
        (**self).renew(lease, ttl).await
    }

    async fn release(&self, lease: &Lease) -> Result<()> {
        (**self).release(lease).await
    }

    async fn holder(&self, session: &SessionKey) -> Result<Option<Lease>> {
        (**self).holder(session).await
    }
}
