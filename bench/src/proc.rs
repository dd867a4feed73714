//! What the kernel knows of a process.

use std::fs;

use crate::generator::Failure;

/// The clock ticks of `/proc/<pid>/stat`: a hundred in a second on every Linux that we know.
const MICROSECONDS_PER_TICK: u64 = 10_000;

/// Memory that a process holds, in KiB.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Now.
    pub resident: u64,
    /// At most so far.
    pub peak: u64,
}

impl Memory {
    /// Of a process, by its id or `self`.
    ///
    /// # Errors
    /// When there is no such process.
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

/// Processor time of all threads of a process, its own and the kernel's for it, in microseconds.
///
/// Known to a hundredth of a second: measure over a second or more.
///
/// # Errors
/// When there is no such process.
pub fn cpu_microseconds(process: &str) -> Result<u64, Failure> {
    let path = format!("/proc/{process}/stat");
    let stat = fs::read_to_string(&path).map_err(|cause| Failure::of(&path, cause))?;
    // The name of the program stands in parentheses and may hold anything.
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let mut fields = after_name.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    let (user, system) = ticks()
        .zip(ticks())
        .ok_or_else(|| Failure::new(format!("{path} has no times")))?;
    Ok((user + system) * MICROSECONDS_PER_TICK)
}

/// The ids of the processes that a process has started and that are still there.
///
/// # Errors
/// When there is no such process.
pub fn children(process: &str) -> Result<Vec<String>, Failure> {
    let path = format!("/proc/{process}/task");
    let threads = fs::read_dir(&path).map_err(|cause| Failure::of(&path, cause))?;
    let mut children = Vec::new();
    for thread in threads.flatten() {
        // A thread may end between the listing and this line.
        let listed = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        children.extend(listed.split_whitespace().map(str::to_owned));
    }
    Ok(children)
}
