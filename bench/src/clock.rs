//! The clock that all processes of a trial share.

use rustix::time::{ClockId, clock_gettime};

/// Returns the nanoseconds of the machine's monotonic clock, which a host and its child share.
#[must_use]
pub fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(now.tv_sec).expect("the monotonic clock is not negative");
    let nanoseconds =
        u64::try_from(now.tv_nsec).expect("the nanoseconds of a time are not negative");
    seconds * 1_000_000_000 + nanoseconds
}
