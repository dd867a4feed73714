use std::sync::Arc;
use std::time::Duration;

use inhouse_store::{Lease, SessionStore};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::error::{Error, ErrorKind};
use crate::mirror::{FIRST_PAUSE, LONGEST_PAUSE, caught};

/// The state of a lease, as its renewal knows it.
#[derive(Clone)]
pub(super) enum LeaseState {
    /// The lease ends at this time by the clock of this host.
    Held(Instant),
    Lost(Error),
}

/// Says whether a lease has ended. By default there is no lease.
///
/// A host that was stopped compares the time itself: after it continues, other tasks may run before the renewal does.
#[derive(Clone, Default)]
pub(crate) struct LeaseEnd(pub(super) Option<watch::Receiver<LeaseState>>);

impl LeaseEnd {
    /// Returns why this host may not work on the session any longer; `None` while it may.
    pub(crate) fn loss(&self) -> Option<Error> {
        match &*self.0.as_ref()?.borrow() {
            LeaseState::Held(until) if Instant::now() < *until => None,
            LeaseState::Held(_) => Some(not_renewed()),
            LeaseState::Lost(error) => Some(error.clone()),
        }
    }
}

/// Renews a lease in the background, until it is lost.
pub(super) struct Renewal {
    pub(super) store: Arc<dyn SessionStore>,
    pub(super) lease: Lease,
    pub(super) ttl: Duration,
    /// The end of the lease by the clock of this host.
    pub(super) until: Instant,
    pub(super) reports: watch::Sender<LeaseState>,
}

impl Renewal {
    pub(super) async fn run(mut self) {
        let error = self.renew_until_lost().await;
        self.report(LeaseState::Lost(error));
    }

    /// Renews the lease every third of its duration; returns why that is no longer possible.
    async fn renew_until_lost(&mut self) -> Error {
        let mut next = self.until - self.ttl + self.ttl / 3;
        let mut pause = FIRST_PAUSE;
        loop {
            sleep_until(next.min(self.until)).await;
            let now = Instant::now();
            if now >= self.until {
                return not_renewed();
            }
            let Some(leases) = self.store.leases() else {
                return Error::new(ErrorKind::Store, "the store has no leases any more");
            };
            let renewed = caught(|| leases.renew(&self.lease, self.ttl));
            // A call that hangs must not use up the rest of the lease.
            let limit = (now + self.ttl / 3).min(self.until);
            match timeout_at(limit, renewed).await {
                Ok(Ok(lease)) => {
                    self.lease = lease;
                    self.until = now + self.ttl;
                    next = now + self.ttl / 3;
                    pause = FIRST_PAUSE;
                    self.report(LeaseState::Held(self.until));
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
                Err(_) => {
                    tracing::warn!("no answer to the renewal of a lease, trying again");
                    next = Instant::now();
                }
            }
        }
    }

    fn report(&self, state: LeaseState) {
        // Fails if the lease was dropped.
        let _ = self.reports.send(state);
    }
}

fn not_renewed() -> Error {
    let text = "the lease of the session could not be renewed in time, so the session was ended";
    Error::new(ErrorKind::Fenced, text)
}
