//! Parts of the soak tests of this workspace: number of runs, seeded generator, report lines, checks.

use std::collections::HashSet;
use std::env;
use std::fmt;
use std::future::pending;
use std::time::Duration;

use serde_json::Value;
use tokio::time::timeout;

#[cfg(unix)]
use crate::host::HostProcess;

/// Longer than any step of a scenario takes, on any machine.
pub const DEADLINE: Duration = Duration::from_secs(90);

/// How often a condition is checked that no event reports. Checks without a pause would take a core from the processes that they wait for.
pub const CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// The seed if `INHOUSE_SOAK_SEED` is unset.
const FIXED_SEED: u64 = 11;

/// Returns how often each scenario is repeated: `INHOUSE_SOAK_RUNS`, 1 if unset.
///
/// # Panics
/// If the variable is not a number.
#[must_use]
pub fn runs() -> u32 {
    number("INHOUSE_SOAK_RUNS").unwrap_or(1)
}

/// Returns the seed of the random decisions: `INHOUSE_SOAK_SEED`, fixed if unset.
fn seed() -> u64 {
    number("INHOUSE_SOAK_SEED").unwrap_or(FIXED_SEED)
}

/// Prints the machine-readable result of a scenario, then panics if a run failed.
///
/// # Panics
/// If a run failed.
#[expect(clippy::print_stdout, reason = "xtask reads the line")]
pub fn report(name: &str, runs: u32, failures: u32, detail: &str) {
    // libtest may have printed the name of the test without a line break.
    println!("\nsoak: {name} runs={runs} failures={failures} {detail}");
    assert_eq!(failures, 0, "{name}: {failures} of {runs} runs failed");
}

/// Counts the runs of a scenario that failed, and prints why.
#[derive(Debug, Default)]
pub struct Failures(pub u32);

impl Failures {
    /// Returns the outcome of a run that succeeded.
    #[expect(clippy::print_stdout, reason = "the output of a soak test")]
    pub fn check<T>(&mut self, run: u32, outcome: Result<T, impl fmt::Display>) -> Option<T> {
        outcome
            .inspect_err(|why| {
                self.0 += 1;
                println!("\nrun {run} failed: {why}");
            })
            .ok()
    }
}

/// Lets time pass, in a scenario whose point is a moment.
pub async fn pass(time: Duration) {
    let _ = timeout(time, pending::<()>()).await;
}

/// Waits for an event of a host, and returns its value.
///
/// # Errors
/// If the host ends or the [`DEADLINE`] passes first.
#[cfg(unix)]
pub async fn event(host: &mut HostProcess, name: &str) -> Result<String, String> {
    let event = host.event(name, DEADLINE).await;
    event.map_err(|why| why.to_string())
}

/// Waits until a host has exited by itself.
///
/// # Errors
/// If the [`DEADLINE`] passes first.
#[cfg(unix)]
pub async fn exit(mut host: HostProcess) -> Result<(), String> {
    let exited = host.exited(DEADLINE).await;
    exited.map(drop).map_err(|why| why.to_string())
}

/// Waits until a process is dead.
///
/// # Panics
/// If it is not dead at the [`DEADLINE`].
#[cfg(target_os = "linux")]
pub async fn wait_until_dead(pid: u32) {
    let start = std::time::Instant::now();
    let mut checks = tokio::time::interval(CHECK_INTERVAL);
    while !is_dead(pid) {
        assert!(start.elapsed() < DEADLINE, "process {pid} has survived");
        checks.tick().await;
    }
}

/// Returns whether a process is dead; one that is not reaped is.
#[cfg(target_os = "linux")]
#[must_use]
pub fn is_dead(pid: u32) -> bool {
    match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        // The state follows the name, which may contain anything.
        Ok(stat) => stat
            .rsplit_once(") ")
            .is_none_or(|(_, state)| state.starts_with(['Z', 'X'])),
        Err(_) => true,
    }
}

/// Checks a stored transcript: no entry is stored twice, and none has a parent that is missing.
///
/// # Errors
/// Describes the first entry that is wrong.
pub fn check_transcript(entries: &[impl AsRef<[u8]>]) -> Result<(), String> {
    let mut known = HashSet::new();
    for (position, entry) in entries.iter().enumerate() {
        let entry: Value =
            serde_json::from_slice(entry.as_ref()).map_err(|error| error.to_string())?;
        if let Some(parent) = entry["parentUuid"].as_str()
            && !known.contains(parent)
        {
            return Err(format!("entry {position} has no parent: {entry}"));
        }
        if let Some(uuid) = entry["uuid"].as_str()
            && !known.insert(uuid.to_owned())
        {
            return Err(format!("entry {position} is stored twice: {entry}"));
        }
    }
    Ok(())
}

/// A small random number generator (SplitMix64): equal seeds give equal sequences.
#[derive(Debug)]
pub struct Rng(u64);

impl Rng {
    /// Creates a generator for one scenario, from `INHOUSE_SOAK_SEED`.
    ///
    /// # Panics
    /// If the variable is not a number.
    #[must_use]
    pub fn seeded() -> Self {
        Self(seed())
    }

    /// Returns a time below `limit`.
    pub fn time_below(&mut self, limit: Duration) -> Duration {
        let limit = u64::try_from(limit.as_micros()).unwrap_or(u64::MAX);
        Duration::from_micros(self.below(limit.max(1)))
    }

    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

fn number<T: std::str::FromStr>(variable: &str) -> Option<T> {
    let value = env::var(variable).ok()?;
    let parsed = value.parse().ok();
    Some(parsed.unwrap_or_else(|| panic!("{variable} is not a number: {value}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rng_repeats_its_sequence_for_a_seed() {
        let sequence = || {
            let mut rng = Rng::seeded();
            [(); 8].map(|()| rng.below(1000))
        };
        assert_eq!(sequence(), sequence());
        assert!(sequence().iter().any(|&number| number != sequence()[0]));
    }

    #[test]
    fn transcript_has_every_entry_once_behind_its_parent() {
        let entry = |uuid: &str, parent: Option<&str>| {
            serde_json::json!({ "uuid": uuid, "parentUuid": parent }).to_string()
        };
        let (one, two) = (entry("1", None), entry("2", Some("1")));
        assert_eq!(check_transcript(&[&one, &two]), Ok(()));
        assert!(check_transcript(&[&two]).unwrap_err().contains("no parent"));
        let twice = check_transcript(&[&one, &two, &two]);
        assert!(twice.unwrap_err().contains("twice"));
    }
}
