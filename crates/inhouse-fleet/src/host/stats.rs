use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::HostError;
use crate::Outcome;
use crate::metrics::TurnMetrics;

/// The statistics of a [`Host`](crate::Host) since it was created.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct HostStats {
    /// The number of attempts that have a slot now.
    pub active: usize,
    /// The number of prompts that were answered, not counting those that were answered before.
    pub done: u64,
    /// The number of turns that ended with questions.
    pub deferred: u64,
    /// The number of attempts that were stopped.
    pub cancelled: u64,
    /// The number of turns that continue a prompt whose last turn was on another host: after a failed attempt, an answer, a hand-over or the death of
    /// that host.
    ///
    /// The engine sets [`Work::taken_over`](crate::Work::taken_over). On PostgreSQL, hosts are distinguished by their names. Restate does not say which
    /// worker a turn was on, so there it is a turn whose worker, or the connection to it, was lost.
    pub takeovers: u64,
    /// The number of attempts that ended because another host had taken over the session.
    pub fenced: u64,
    /// The number of attempts that failed.
    pub failed: u64,
    /// The cost of the turns of this host in US dollars, as the CLI reports it.
    pub cost_usd: f64,
}

/// The statistics of a host, and its metrics.
#[derive(Default)]
pub(super) struct Counters {
    stats: Mutex<HostStats>,
    metrics: TurnMetrics,
}

/// Counts an attempt as active until it is dropped.
pub(super) struct Active<'a>(&'a Counters);

impl Counters {
    pub(super) fn stats(&self) -> HostStats {
        *self.lock()
    }

    pub(super) fn begin(&self) -> Active<'_> {
        self.lock().active += 1;
        self.metrics.add_active(1);
        Active(self)
    }

    /// Counts the end of an attempt. Answers are counted apart, because a stored one is not a turn.
    pub(super) fn end(&self, outcome: Result<&Outcome, &HostError>, duration: Duration) {
        let mut stats = self.lock();
        let name = match outcome {
            Ok(Outcome::Done(_)) => "done",
            Ok(Outcome::Deferred(_)) => {
                stats.deferred += 1;
                "deferred"
            }
            Ok(Outcome::Cancelled) => {
                stats.cancelled += 1;
                "cancelled"
            }
            Ok(Outcome::Fenced) => {
                stats.fenced += 1;
                "fenced"
            }
            Err(_) => {
                stats.failed += 1;
                "failed"
            }
        };
        drop(stats);
        self.metrics.record_turn(name, duration);
    }

    pub(super) fn count_answer(&self) {
        self.lock().done += 1;
    }

    pub(super) fn count_takeover(&self) {
        self.lock().takeovers += 1;
        self.metrics.count_takeover();
    }

    pub(super) fn add_cost(&self, cost: f64) {
        self.lock().cost_usd += cost;
        self.metrics.add_cost(cost);
    }

    fn lock(&self) -> MutexGuard<'_, HostStats> {
        self.stats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Active<'_> {
    fn drop(&mut self) {
        self.0.lock().active -= 1;
        self.0.metrics.add_active(-1);
    }
}
