use std::sync::Arc;
use std::time::{Duration, SystemTime};

use inhouse_store::{Epoch, Lease, Leases, SessionKey, SessionStore, StoreError, StoreErrorKind};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{
    UnboundedReceiver, UnboundedSender, WeakUnboundedSender, unbounded_channel,
};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};
use tracing::Instrument;
use uuid::Uuid;

use super::store_error;
use crate::driver::Command;
use crate::error::{Error, ErrorKind, Result};
use crate::mirror::{FIRST_PAUSE, LONGEST_PAUSE};

/// The duration of a lease by default.
pub(super) const LEASE_TTL: Duration = Duration::from_secs(30);

/// How long the release of a lease may take. A lease that is not released ends by itself.
const RELEASE: Duration = Duration::from_secs(5);

/// The lease of a session, which is renewed in the background. Dropping it releases the lease.
pub(super) struct HeldLease {
    store: Arc<dyn SessionStore>,
    /// `None` once the lease is released.
    lease: Option<Lease>,
    renewal: JoinHandle<()>,
    /// The reports of the renewal; `None` once the driver gets them.
    events: Option<UnboundedReceiver<LeaseEvent>>,
}

/// A report of the renewal.
enum LeaseEvent {
    /// The lease ends at this time by the clock of this host.
    Renewed(Instant),
    Lost(Error),
}

impl HeldLease {
    /// Acquires the lease of a session; `None` if the store has no leases.
    ///
    /// # Errors
    /// `Held` if another host has it; `Store` if the store fails.
    pub(super) async fn acquire(
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
                    return Err(held(leases, session, error).await);
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

    /// Starts the renewal at once: loading the session and starting the CLI may take longer than the lease.
    fn renewed(store: &Arc<dyn SessionStore>, lease: Lease, ttl: Duration, until: Instant) -> Self {
        let (reports, events) = unbounded_channel();
        let renewal = Renewal {
            store: Arc::clone(store),
            lease: lease.clone(),
            ttl,
            until,
            reports,
        };
        Self {
            store: Arc::clone(store),
            lease: Some(lease),
            renewal: tokio::spawn(renewal.run().in_current_span()),
            events: Some(events),
        }
    }

    pub(super) fn epoch(&self) -> Option<Epoch> {
        self.lease.as_ref().map(|lease| lease.epoch)
    }

    /// Reports the renewals, and the loss of the lease, to the driver. Called once.
    pub(super) fn report_to(&mut self, driver: WeakUnboundedSender<Command>) {
        let Some(mut events) = self.events.take() else {
            return;
        };
        let forward = async move {
            while let Some(event) = events.recv().await {
                let command = match event {
                    LeaseEvent::Renewed(until) => Command::LeaseRenewed(until - Instant::now()),
                    LeaseEvent::Lost(error) => Command::SessionLost(error),
                };
                // After every handle was dropped, the session ends by itself.
                if let Some(driver) = driver.upgrade() {
                    let _ = driver.send(command);
                }
            }
        };
        tokio::spawn(forward.in_current_span());
    }

    /// Releases the lease, so that another host need not wait for its end.
    pub(super) async fn release(mut self) {
        self.renewal.abort();
        if let Some(lease) = self.lease.take() {
            release(&*self.store, &lease).await;
        }
    }
}

impl Drop for HeldLease {
    fn drop(&mut self) {
        self.renewal.abort();
        if let Some(lease) = self.lease.take()
            && let Ok(runtime) = Handle::try_current()
        {
            let store = Arc::clone(&self.store);
            runtime.spawn(async move { release(&*store, &lease).await });
        }
    }
}

struct Renewal {
    store: Arc<dyn SessionStore>,
    lease: Lease,
    ttl: Duration,
    /// The end of the lease by the clock of this host.
    until: Instant,
    reports: UnboundedSender<LeaseEvent>,
}

impl Renewal {
    async fn run(mut self) {
        let error = self.renew_until_lost().await;
        self.report(LeaseEvent::Lost(error));
    }

    /// Renews the lease every third of its duration; returns why that is no longer possible.
    async fn renew_until_lost(&mut self) -> Error {
        self.report(LeaseEvent::Renewed(self.until));
        let mut next = self.until - self.ttl + self.ttl / 3;
        let mut pause = FIRST_PAUSE;
        loop {
            sleep_until(next.min(self.until)).await;
            let now = Instant::now();
            if now >= self.until {
                let text = "the lease of the session could not be renewed in time, so the session was ended";
                return Error::new(ErrorKind::Fenced, text);
            }
            let Some(leases) = self.store.leases() else {
                return Error::new(ErrorKind::Store, "the store has no leases any more");
            };
            match timeout_at(self.until, leases.renew(&self.lease, self.ttl)).await {
                Ok(Ok(lease)) => {
                    self.lease = lease;
                    self.until = now + self.ttl;
                    next = now + self.ttl / 3;
                    pause = FIRST_PAUSE;
                    self.report(LeaseEvent::Renewed(self.until));
                }
                Ok(Err(error)) if !error.is_retryable() => {
                    let text = "another owner has taken over the session, so this one was ended";
                    return Error::new(ErrorKind::Fenced, text).with_source(error);
                }
                Ok(Err(error)) => {
                    tracing::warn!(%error, "lease not renewed, trying again");
                    next = Instant::now() + pause;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Err(_) => next = self.until,
            }
        }
    }

    fn report(&self, event: LeaseEvent) {
        // Fails if the session has ended.
        let _ = self.reports.send(event);
    }
}

async fn release(store: &dyn SessionStore, lease: &Lease) {
    let Some(leases) = store.leases() else {
        return;
    };
    match timeout(RELEASE, leases.release(lease)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "lease not released; it ends by itself"),
        Err(_) => tracing::warn!("lease not released in time; it ends by itself"),
    }
}

/// Returns the error for a session that another host has.
async fn held(leases: &dyn Leases, session: &SessionKey, error: StoreError) -> Error {
    let until = leases.holder(session).await.ok().flatten();
    let left = until.and_then(|lease| lease.until.duration_since(SystemTime::now()).ok());
    let wait = match left {
        Some(left) => format!("unless renewed, its lease ends in {} s", left.as_secs() + 1),
        None => "its lease is about to end".to_owned(),
    };
    let text = format!(
        "another host works on session {}; {wait}",
        session.session()
    );
    Error::new(ErrorKind::Held, text).with_source(error)
}
