//! One clock for all processes.

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds on the monotonic clock of the machine, which a host and its child share.
#[must_use]
pub fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(now.tv_sec).expect("the machine has been started");
    let nanoseconds = u64::try_from(now.tv_nsec).expect("a second has no negative part");
    seconds * 1_000_000_000 + nanoseconds
}
