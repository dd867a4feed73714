use std::fmt;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use inhouse_store::{Epoch, Lease, Leases, SessionKey, SessionStore, StoreErrorKind};
use tokio::runtime::Handle;
use tokio::sync::mpsc::WeakUnboundedSender;
use tokio::sync::watch;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, sleep, timeout};
use tracing::Instrument;
use uuid::Uuid;

use super::choose::project_of;
use super::directory::UnsentDirectory;
use super::renewal::{LeaseEnd, LeaseState, Renewal};
use super::{LOAD_TIMEOUT, store_error};
use crate::driver::Command;
use crate::error::{Error, ErrorKind, Result};
use crate::launch::HostEnvironment;
use crate::mirror::{FIRST_PAUSE, LONGEST_PAUSE, recover_as};
use crate::options::Options;

/// The duration of a lease by default.
pub(super) const LEASE_TTL: Duration = Duration::from_secs(30);

/// How long the release of a lease may take. A lease that is not released ends by itself.
const RELEASE: Duration = Duration::from_secs(5);

/// How long the error for a held session waits for the end of the other lease.
const HOLDER: Duration = Duration::from_secs(5);

/// The right of this process to run a session of a store, renewed in the background.
///
/// A session of a [store](Options::store) with leases acquires one when it connects, and releases it when the CLI has exited. A host that does
/// more under the same ownership acquires the lease itself and passes it to one session or several, one after another, with
/// [`Options::session_lease`]: it can prepare the session's working directory before, and save it afterwards, under the same
/// [epoch](Self::epoch).
///
/// Clones are the same lease. It ends with [`release`](Self::release), or when the last clone is dropped, also that of a session which still
/// runs.
///
/// ```
/// use inhouse::sessions::SessionLease;
/// use inhouse::{Client, ErrorKind, Options};
/// use inhouse_store::memory::MemoryStore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> inhouse::Result<()> {
/// let options = Options::new().store(MemoryStore::new());
/// let id = "7f6c2a4e-3c1f-4f0a-9d57-0a4b8f1c2d3e";
/// let lease = SessionLease::acquire(&options, id).await?;
///
/// let held = SessionLease::acquire(&options, id).await.unwrap_err();
/// assert_eq!(held.kind(), ErrorKind::Held);
///
/// let epoch = lease.epoch();
/// lease.release().await;
/// assert!(SessionLease::acquire(&options, id).await?.epoch() > epoch);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct SessionLease(Arc<HeldLease>);

struct HeldLease {
    store: Arc<dyn SessionStore>,
    lease: Lease,
    renewal: JoinHandle<()>,
    state: watch::Receiver<LeaseState>,
    /// How many sessions run under the lease.
    sessions: watch::Sender<usize>,
    is_released: AtomicBool,
}

/// A session that runs under a lease.
pub(super) struct LeasedSession {
    lease: SessionLease,
    /// Whether the lease ends with the session, because the session has acquired it.
    is_own: bool,
}

impl SessionLease {
    /// Acquires the lease of a session, in the store of these options.
    ///
    /// The options name the session as for [`Client::connect`](crate::Client::connect): its project is that of their working directory,
    /// and [`Options::lease_ttl`] sets for how long the lease is taken. The session need not exist.
    ///
    /// ```
    /// use inhouse::sessions::SessionLease;
    /// use inhouse::{ErrorKind, Options};
    /// use inhouse_store::memory::MemoryStore;
    ///
    /// # inhouse_testkit::run(async {
    /// let options = Options::new().store(MemoryStore::new());
    /// let lease = SessionLease::acquire(&options, "7f6c2a4e-3c1f-4f0a-9d57-0a4b8f1c2d3e").await?;
    ///
    /// // Another host has to wait until the lease is released.
    /// let held = SessionLease::acquire(&options, "7f6c2a4e-3c1f-4f0a-9d57-0a4b8f1c2d3e").await;
    /// assert_eq!(held.unwrap_err().kind(), ErrorKind::Held);
    /// # drop(lease);
    /// # Ok::<(), inhouse::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`Held`](ErrorKind::Held) if another host has it; `Config` if the options have no store, or the id is not valid; `Timeout` or `Store` if
    /// the store fails or has no leases.
    ///
    /// # Cancellation
    /// A lease that was acquired just when the future is dropped stays until its time is up.
    pub async fn acquire(options: &Options, id: impl Into<String>) -> Result<Self> {
        let Some(store) = &options.store.store else {
            return Err(Error::config("a lease needs a store; set `store`"));
        };
        let project = project_of(options, &HostEnvironment::current())?;
        let session = project.session(id).map_err(store_error)?;
        let ttl = options.store.lease_ttl.unwrap_or(LEASE_TTL);
        if ttl < Duration::from_secs(1) {
            let text = "`lease_ttl` of less than a second: the lease could not be renewed in time; choose a longer one";
            return Err(Error::config(text));
        }
        let limit = options.store.load_timeout.unwrap_or(LOAD_TIMEOUT);
        match timeout(limit, Self::acquire_key(&store.0, &session, ttl)).await {
            Ok(Ok(Some(lease))) => Ok(lease),
            Ok(Ok(None)) => Err(Error::new(ErrorKind::Store, "the store has no leases")),
            Ok(Err(error)) => Err(error),
            Err(_) => {
                let text =
                    "the lease of the session was not acquired in time; see Options::load_timeout";
                Err(Error::new(ErrorKind::Timeout, text))
            }
        }
    }

    /// Acquires the lease of a session; `None` if the store has no leases.
    ///
    /// # Errors
    /// `Held` if another host has it; `Store` if the store fails.
    pub(super) async fn acquire_key(
        store: &Arc<dyn SessionStore>,
        session: &SessionKey,
        ttl: Duration,
    ) -> Result<Option<Self>> {
        let Some(leases) = store.leases() else {
            return Ok(None);
        };
        let owner = format!("inhouse-{}", Uuid::new_v4());
        let mut pause = FIRST_PAUSE;
        loop {
            let until = Instant::now() + ttl;
            match leases.acquire(session, &owner, ttl).await {
                Ok(lease) => return Ok(Some(Self::renewed(store, lease, ttl, until))),
                Err(error) if error.kind() == StoreErrorKind::Held => {
                    return Err(held(leases, session).await.with_source(error));
                }
                Err(error) if !error.is_retryable() => return Err(store_error(error)),
                Err(error) => {
                    tracing::warn!(%error, "lease not acquired, trying again");
                    sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
    }

    /// Starts the renewal at once: what precedes the start of the CLI may take longer than the lease.
    fn renewed(store: &Arc<dyn SessionStore>, lease: Lease, ttl: Duration, until: Instant) -> Self {
        let (reports, state) = watch::channel(LeaseState::Held(until));
        let renewal = Renewal {
            store: Arc::clone(store),
            lease: lease.clone(),
            ttl,
            until,
            reports,
        };
        Self(Arc::new(HeldLease {
            store: Arc::clone(store),
            lease,
            renewal: tokio::spawn(renewal.run().in_current_span()),
            state,
            sessions: watch::Sender::new(0),
            is_released: AtomicBool::new(false),
        }))
    }

    /// Returns the key of the session.
    #[must_use]
    pub fn session(&self) -> &SessionKey {
        &self.0.lease.session
    }

    /// Returns the epoch of this ownership, for other writes to the store.
    #[must_use]
    pub fn epoch(&self) -> Epoch {
        self.0.lease.epoch
    }

    /// Waits until the lease is lost, and returns why. Never completes after a release.
    ///
    /// A session that runs under the lease ends by itself with this error.
    ///
    /// ```
    /// use inhouse::sessions::SessionLease;
    /// use inhouse::{ErrorKind, Options};
    /// use inhouse_store::SessionStore as _;
    /// use inhouse_store::memory::MemoryStore;
    ///
    /// # inhouse_testkit::run(async {
    /// let store = MemoryStore::new();
    /// let options = Options::new().store(store.clone());
    /// let lease = SessionLease::acquire(&options, "7f6c2a4e-3c1f-4f0a-9d57-0a4b8f1c2d3e").await?;
    ///
    /// // Another owner takes the session over.
    /// store.fence(lease.session(), None).await.unwrap();
    /// assert_eq!(lease.lost().await.kind(), ErrorKind::Fenced);
    /// # Ok::<(), inhouse::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Cancellation
    /// Dropping the future changes nothing.
    pub async fn lost(&self) -> Error {
        let mut state = self.0.state.clone();
        let lost = state.wait_for(|state| matches!(state, LeaseState::Lost(_)));
        let lost = lost.await.map(|state| state.clone());
        match lost {
            Ok(LeaseState::Lost(error)) => error,
            // The renewal ends without a loss only when the lease is released.
            _ => pending().await,
        }
    }

    /// Waits until no session runs under the lease: each CLI has exited, and its transcript is stored or known to be lost.
    ///
    /// # Cancellation
    /// Dropping the future changes nothing.
    pub async fn unused(&self) {
        let mut sessions = self.0.sessions.subscribe();
        // The sender is in `self`, so it is not closed.
        let _ = sessions.wait_for(|count| *count == 0).await;
    }

    /// Stores what an earlier session on this machine could not store, because its store had failed; returns the number of entries.
    ///
    /// Without it, connecting with such entries left fails, see [`recover`](crate::sessions::recover). Entries of a session that another host has
    /// continued, or that was erased, are dropped. Those of other sessions, which the CLI has begun with `/clear`, are stored all the same.
    /// `options` are those that the session is opened with; they name the [directory](Options::session_root).
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::sessions::SessionLease;
    /// use inhouse_store::memory::MemoryStore;
    ///
    /// # inhouse_testkit::run(async {
    /// let options = Options::new().store(MemoryStore::new());
    /// let lease = SessionLease::acquire(&options, "7f6c2a4e-3c1f-4f0a-9d57-0a4b8f1c2d3e").await?;
    /// // No earlier session on this machine has left entries.
    /// assert_eq!(lease.recover_unsent(&options).await?, 0);
    /// # Ok::<(), inhouse::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`Held`](ErrorKind::Held) if another process of this machine works on the session; `Store` if the store fails; `Fenced` if the lease is
    /// lost.
    pub async fn recover_unsent(&self, options: &Options) -> Result<usize> {
        let (root, owner) = (options.store.root.clone(), options.process.user);
        let id = self.session().session().to_owned();
        let found = spawn_blocking(move || UnsentDirectory::find(root, &id, owner)).await;
        let found = found.unwrap_or_else(|error| {
            let text = "the directory of the session cannot be searched";
            Err(Error::new(ErrorKind::Store, text).with_source(error))
        })?;
        let Some(directory) = found else {
            return Ok(0);
        };
        let owned = (self.session(), self.epoch());
        let recovered = recover_as(&directory.path, &*self.0.store, owned).await?;
        for session in recovered.left {
            tracing::warn!(%session, "unsent entries dropped: another host has continued the session");
        }
        let removed = spawn_blocking(move || directory.remove()).await;
        removed.unwrap_or_else(|error| {
            let text = "the directory of the session cannot be removed";
            Err(Error::new(ErrorKind::Store, text).with_source(error))
        })?;
        Ok(recovered.stored)
    }

    /// Waits until no session runs under the lease, and releases it, so that another host need not wait for its end.
    ///
    /// A lease that cannot be released within 5 s ends by itself.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::sessions::SessionLease;
    /// use inhouse_store::memory::MemoryStore;
    ///
    /// # inhouse_testkit::run(async {
    /// let options = Options::new().store(MemoryStore::new());
    /// let lease = SessionLease::acquire(&options, "7f6c2a4e-3c1f-4f0a-9d57-0a4b8f1c2d3e").await?;
    /// lease.release().await;
    ///
    /// // The session is free at once.
    /// SessionLease::acquire(&options, "7f6c2a4e-3c1f-4f0a-9d57-0a4b8f1c2d3e").await?;
    /// # Ok::<(), inhouse::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Cancellation
    /// Dropping the future releases the lease in the background.
    pub async fn release(self) {
        self.unused().await;
        if self.0.end()
            && let Some(leases) = self.0.store.leases()
        {
            release(leases, &self.0.lease).await;
        }
    }

    /// Returns the guard of a session that runs under this lease.
    pub(super) fn used(self, is_own: bool) -> LeasedSession {
        self.0.sessions.send_modify(|count| *count += 1);
        LeasedSession {
            lease: self,
            is_own,
        }
    }
}

impl fmt::Debug for SessionLease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionLease")
            .field("session", self.session())
            .field("epoch", &self.epoch())
            .finish_non_exhaustive()
    }
}

impl HeldLease {
    /// Ends the renewal; returns whether the lease has to be released.
    fn end(&self) -> bool {
        self.renewal.abort();
        !self.is_released.swap(true, Ordering::Relaxed)
    }
}

impl Drop for HeldLease {
    fn drop(&mut self) {
        if self.end()
            && let Ok(runtime) = Handle::try_current()
        {
            let (store, lease) = (Arc::clone(&self.store), self.lease.clone());
            runtime.spawn(async move {
                if let Some(leases) = store.leases() {
                    release(leases, &lease).await;
                }
            });
        }
    }
}

impl LeasedSession {
    pub(super) fn epoch(&self) -> Epoch {
        self.lease.epoch()
    }

    pub(super) fn end(&self) -> LeaseEnd {
        LeaseEnd(Some(self.lease.0.state.clone()))
    }

    /// Reports the renewals, and the loss of the lease, to the driver. Called once.
    pub(super) fn report_to(&self, driver: WeakUnboundedSender<Command>) {
        let mut state = self.lease.0.state.clone();
        let forward = async move {
            loop {
                let command = match &*state.borrow_and_update() {
                    LeaseState::Held(until) => Command::LeaseRenewed(*until - Instant::now()),
                    LeaseState::Lost(error) => Command::SessionLost(error.clone()),
                };
                // After every handle was dropped, the session ends by itself.
                let Some(driver) = driver.upgrade() else {
                    return;
                };
                if driver.send(command).is_err() {
                    return;
                }
                drop(driver);
                if state.changed().await.is_err() {
                    return;
                }
            }
        };
        tokio::spawn(forward.in_current_span());
    }

    /// Releases the lease, unless the caller of the session holds it.
    pub(super) async fn finish(self) {
        let (lease, is_own) = (self.lease.clone(), self.is_own);
        drop(self);
        if is_own {
            lease.release().await;
        }
    }
}

impl Drop for LeasedSession {
    fn drop(&mut self) {
        self.lease.0.sessions.send_modify(|count| *count -= 1);
    }
}

/// Releases a lease, for a limited time.
pub(crate) async fn release(leases: &dyn Leases, lease: &Lease) {
    match timeout(RELEASE, leases.release(lease)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "lease not released; it ends by itself"),
        Err(_) => tracing::warn!("lease not released in time; it ends by itself"),
    }
}

/// Returns the error for a session that another host has.
pub(crate) async fn held(leases: &dyn Leases, session: &SessionKey) -> Error {
    // The time that is left is only a part of the message, so an answer without it is better than a wait.
    let until = timeout(HOLDER, leases.holder(session)).await;
    let until = until.ok().and_then(|holder| holder.ok().flatten());
    let left = until.and_then(|lease| lease.until.duration_since(SystemTime::now()).ok());
    let wait = match left {
        Some(left) => format!("unless renewed, its lease ends in {} s", left.as_secs() + 1),
        None => "its lease is about to end".to_owned(),
    };
    let text = format!(
        "another host works on session {}; {wait}",
        session.session()
    );
    Error::new(ErrorKind::Held, text)
}
