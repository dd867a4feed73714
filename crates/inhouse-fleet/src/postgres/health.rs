use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use uuid::Uuid;

use super::{Fleet, FleetError};

/// After how many times the time of a dead host without an attempt at a heartbeat a host is stuck. It tries three times in each of them.
const STUCK: u32 = 3;

/// The health of the hosts of a process, from [`Fleet::health`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FleetHealth {
    /// The number of hosts: of calls of [`Fleet::serve`] that run.
    pub hosts: usize,
    /// Whether a host takes no further work, because of its shutdown signal or a [drain](Fleet::drain).
    pub is_draining: bool,
    /// Whether the turns of a host fail one after another, so that it claims only one prompt now and then.
    pub is_failing: bool,
    /// How long ago the database accepted the last heartbeat; of several hosts the oldest one, and `None` before the first.
    pub heartbeat: Option<Duration>,
    /// The error of the last heartbeat or claim, or of the last write of a turn (messages, questions and outcomes), until one succeeds.
    pub error: Option<String>,
    is_late: bool,
    is_stuck: bool,
}

impl Fleet {
    /// Returns the health of the hosts that this fleet and its clones [serve](Self::serve), for the probes of an orchestrator. Does not ask the database.
    ///
    /// ```no_run
    /// # fn example(fleet: inhouse_fleet::Fleet) -> &'static str {
    /// match fleet.health().is_ready() {
    ///     true => "200 OK",
    ///     false => "503 Service Unavailable",
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn health(&self) -> FleetHealth {
        self.shared.hosts.health()
    }
}

impl FleetHealth {
    /// Returns whether the process is worth keeping: `false` if a host does not even try to send heartbeats any more. For a liveness probe.
    ///
    /// A database that is unavailable is no reason to restart a process, whose turns may survive it.
    #[must_use]
    pub fn is_live(&self) -> bool {
        !self.is_stuck
    }

    /// Returns whether prompts begin here: every host is registered, the database accepts its heartbeats, its claims and what its turns write, its turns
    /// do not all fail, and it is not draining. For a readiness probe.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.hosts > 0
            && self.error.is_none()
            && !(self.is_draining || self.is_failing || self.is_late || self.is_stuck)
    }
}

/// The hosts that the clones of a fleet serve.
#[derive(Debug, Default)]
pub(super) struct ServedHosts(Arc<Mutex<HashMap<Uuid, HostHealth>>>);

/// A host that is served, until this value is dropped.
#[derive(Debug)]
pub(super) struct ServedHost {
    id: Uuid,
    hosts: Arc<Mutex<HashMap<Uuid, HostHealth>>>,
}

#[derive(Debug)]
struct HostHealth {
    ttl: Duration,
    /// When the last heartbeat was tried.
    tried: Instant,
    /// When the database accepted one.
    accepted: Option<Instant>,
    beat_error: Option<String>,
    claim_error: Option<String>,
    write_error: Option<String>,
    is_draining: bool,
    is_failing: bool,
}

impl ServedHosts {
    /// Adds a host.
    pub(super) fn add(&self, ttl: Duration) -> Arc<ServedHost> {
        let id = Uuid::new_v4();
        let health = HostHealth {
            ttl,
            tried: Instant::now(),
            accepted: None,
            beat_error: None,
            claim_error: None,
            write_error: None,
            is_draining: false,
            is_failing: false,
        };
        lock(&self.0).insert(id, health);
        let hosts = Arc::clone(&self.0);
        Arc::new(ServedHost { id, hosts })
    }

    fn health(&self) -> FleetHealth {
        let now = Instant::now();
        let hosts = lock(&self.0);
        let accepted = hosts.values().map(|host| host.accepted);
        let oldest = accepted.min().flatten();
        let is_late = |host: &HostHealth| host.accepted.is_none_or(|at| now - at > host.ttl);
        let error = |host: &HostHealth| {
            let errors = [&host.beat_error, &host.claim_error, &host.write_error];
            errors.into_iter().find_map(Clone::clone)
        };
        FleetHealth {
            hosts: hosts.len(),
            is_draining: hosts.values().any(|host| host.is_draining),
            is_failing: hosts.values().any(|host| host.is_failing),
            heartbeat: oldest.map(|at| now - at),
            error: hosts.values().find_map(error),
            is_late: hosts.values().any(is_late),
            is_stuck: hosts
                .values()
                .any(|host| now - host.tried > host.ttl * STUCK),
        }
    }
}

impl ServedHost {
    /// Notes the outcome of a heartbeat.
    pub(super) fn beat(&self, error: Option<String>) {
        self.change(|health| {
            health.tried = Instant::now();
            if error.is_none() {
                health.accepted = Some(health.tried);
            }
            health.beat_error = error;
        });
    }

    /// Notes the outcome of a claim.
    pub(super) fn claimed<T>(&self, outcome: &Result<T, FleetError>) {
        let error = outcome.as_ref().err().map(ToString::to_string);
        self.change(|health| health.claim_error = error);
    }

    /// Notes the outcome of a write of a turn. Only errors that may pass are those of the database; others are those of the value.
    pub(super) fn wrote<T>(&self, outcome: &Result<T, FleetError>) {
        let error = outcome.as_ref().err().filter(|error| error.may_pass());
        let error = error.map(ToString::to_string);
        self.change(|health| health.write_error = error);
    }

    pub(super) fn set_failing(&self, is_failing: bool) {
        self.change(|health| health.is_failing = is_failing);
    }

    pub(super) fn set_draining(&self) {
        self.change(|health| health.is_draining = true);
    }

    fn change(&self, change: impl FnOnce(&mut HostHealth)) {
        if let Some(health) = lock(&self.hosts).get_mut(&self.id) {
            change(health);
        }
    }
}

impl Drop for ServedHost {
    fn drop(&mut self) {
        lock(&self.hosts).remove(&self.id);
    }
}

fn lock(hosts: &Mutex<HashMap<Uuid, HostHealth>>) -> MutexGuard<'_, HashMap<Uuid, HostHealth>> {
    hosts.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const TTL: Duration = Duration::from_secs(15);

    #[tokio::test(start_paused = true)]
    async fn host_is_ready_while_its_heartbeats_are_accepted() {
        let hosts = ServedHosts::default();
        assert!(hosts.health().is_live() && !hosts.health().is_ready());
        let host = hosts.add(TTL);
        assert!(!hosts.health().is_ready(), "no heartbeat was accepted yet");
        host.beat(None);
        assert!(hosts.health().is_ready());
        assert_eq!(hosts.health().heartbeat, Some(Duration::ZERO));
        // A database that is down is no reason to restart the process.
        for _ in 0..20 {
            advance(TTL / 2).await;
            host.beat(Some("no connection".to_owned()));
        }
        assert!(hosts.health().is_live() && !hosts.health().is_ready());
        assert_eq!(hosts.health().error.as_deref(), Some("no connection"));
        host.beat(None);
        assert!(hosts.health().is_ready());
        host.set_failing(true);
        assert!(!hosts.health().is_ready());
        host.set_failing(false);
        host.set_draining();
        assert!(!hosts.health().is_ready() && hosts.health().is_live());
        drop(host);
        assert_eq!(hosts.health().hosts, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn host_that_tries_no_heartbeats_is_not_live() {
        let hosts = ServedHosts::default();
        let (stuck, other) = (hosts.add(TTL), hosts.add(TTL));
        stuck.beat(None);
        for _ in 0..7 {
            advance(TTL / 2).await;
            other.beat(None);
        }
        assert!(!hosts.health().is_live());
        drop(stuck);
        assert!(hosts.health().is_live() && hosts.health().is_ready());
    }
}
