use std::sync::{Mutex, MutexGuard, PoisonError};

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
    /// The number of sessions that were taken over from another host: this host waited for its lease, or the work had been attempted before.
    pub takeovers: u64,
    /// The number of attempts that ended because another host had taken over the session.
    pub fenced: u64,
    /// The number of attempts that failed.
    pub failed: u64,
    /// The cost of the turns of this host in US dollars, as the CLI reports it.
    pub cost_usd: f64,
}

/// The statistics of a host.
#[derive(Default)]
pub(super) struct Counters(Mutex<HostStats>);

/// Counts an attempt as active until it is dropped.
pub(super) struct Active<'a>(&'a Counters);

impl Counters {
    pub(super) fn stats(&self) -> HostStats {
        *self.lock()
    }

    pub(super) fn add(&self, change: impl FnOnce(&mut HostStats)) {
        change(&mut self.lock());
    }

    pub(super) fn begin(&self) -> Active<'_> {
        self.lock().active += 1;
        Active(self)
    }

    fn lock(&self) -> MutexGuard<'_, HostStats> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Active<'_> {
    fn drop(&mut self) {
        self.0.lock().active -= 1;
    }
}
