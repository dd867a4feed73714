//! Memory, processor time and children of a process, from `/proc`.

use std::fs;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::generator::Failure;

/// `/proc/<pid>/stat` counts in ticks, of which every common Linux has 100 per second.
const MICROSECONDS_PER_TICK: u64 = 10_000;

/// The resident memory of a process in KiB.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// The present resident memory.
    pub resident: u64,
    /// The highest resident memory so far.
    pub peak: u64,
}

impl Memory {
    /// Returns the memory of a process, given its id or `self`.
    ///
    /// # Errors
    /// Returns an error if there is no such process.
    pub fn of(process: &str) -> Result<Self, Failure> {
        let path = format!("/proc/{process}/status");
        let status = fs::read_to_string(&path).map_err(|cause| Failure::of(&path, cause))?;
        let kib = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|rest| rest.split_whitespace().next()?.parse().ok())
                .ok_or_else(|| Failure::new(format!("{path} has no {name}")))
        };
        Ok(Self {
            resident: kib("VmRSS:")?,
            peak: kib("VmHWM:")?,
        })
    }
}

/// Returns the user and system time of all threads of a process, in microseconds.
///
/// The resolution is a hundredth of a second: measure over a second or more.
///
/// # Errors
/// Returns an error if there is no such process.
pub fn cpu_microseconds(process: &str) -> Result<u64, Failure> {
    let path = format!("/proc/{process}/stat");
    let stat = fs::read_to_string(&path).map_err(|cause| Failure::of(&path, cause))?;
    // The name of the program is in parentheses and may contain anything.
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let mut fields = after_name.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    let (user, system) = ticks()
        .zip(ticks())
        .ok_or_else(|| Failure::new(format!("{path} has no times")))?;
    Ok((user + system) * MICROSECONDS_PER_TICK)
}

/// Returns the user and system time of all threads of this process since its start.
#[must_use]
pub fn process_cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(
        time.tv_sec.unsigned_abs(),
        time.tv_nsec.unsigned_abs() as u32,
    )
}

/// Returns the ids of the running children of a process.
///
/// # Errors
/// Returns an error if there is no such process.
pub fn children(process: &str) -> Result<Vec<String>, Failure> {
    let path = format!("/proc/{process}/task");
    let threads = fs::read_dir(&path).map_err(|cause| Failure::of(&path, cause))?;
    let mut children = Vec::new();
    for thread in threads.flatten() {
        // A thread may exit after the listing.
        let listed = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        children.extend(listed.split_whitespace().map(str::to_owned));
    }
    Ok(children)
}
