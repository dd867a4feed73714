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
    Ok(ticks(process, 2)? * MICROSECONDS_PER_TICK)
}

/// Returns the user and system time of a process, its running children, and those that it has reaped, in microseconds.
///
/// # Errors
/// Returns an error if there is no such process.
pub fn cpu_microseconds_with_children(process: &str) -> Result<u64, Failure> {
    let mut sum = ticks(process, 4)? * MICROSECONDS_PER_TICK;
    for child in children(process)? {
        // A child may exit after the listing.
        sum += cpu_microseconds(&child).unwrap_or_default();
    }
    Ok(sum)
}

/// Adds up the first of the times in `/proc/<pid>/stat`: user, system, and the same of reaped children.
fn ticks(process: &str, times: usize) -> Result<u64, Failure> {
    let path = format!("/proc/{process}/stat");
    let stat = fs::read_to_string(&path).map_err(|cause| Failure::of(&path, cause))?;
    // The name of the program is in parentheses and may contain anything.
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let fields = after_name.split_whitespace().skip(11).take(times);
    let ticks: Vec<u64> = fields.filter_map(|field| field.parse().ok()).collect();
    match ticks.len() == times {
        true => Ok(ticks.iter().sum()),
        false => Err(Failure::new(format!("{path} has no times"))),
    }
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

/// Returns the id of the parent of a process.
///
/// # Errors
/// Returns an error if there is no such process.
pub fn parent(process: &str) -> Result<String, Failure> {
    let path = format!("/proc/{process}/status");
    let status = fs::read_to_string(&path).map_err(|cause| Failure::of(&path, cause))?;
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
    let parent = parent.ok_or_else(|| Failure::new(format!("{path} has no parent")))?;
    Ok(parent.trim().to_owned())
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
