//! Helpers for soak tests: number of runs, seeded generator, report line.

use std::future::pending;
use std::time::{Duration, Instant};
use std::{env, fs};

#[cfg(target_os = "linux")]
use inhouse_testkit::host::HostProcess;
use inhouse_testkit::{ScriptedModel, Turn};
use serde_json::json;
use tokio::time::timeout;

/// Longer than any step of a scenario takes, on any machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(90);

/// How long a request of a dead CLI may be on its way to the model.
const LAST_REQUEST: Duration = Duration::from_millis(300);

/// The seed if `INHOUSE_SOAK_SEED` is unset.
const FIXED_SEED: u64 = 11;

/// Returns how often each scenario is repeated: `INHOUSE_SOAK_RUNS`, 1 if unset.
pub(crate) fn runs() -> u32 {
    number("INHOUSE_SOAK_RUNS").unwrap_or(1)
}

/// Returns the seed of the random decisions: `INHOUSE_SOAK_SEED`, fixed if unset.
pub(crate) fn seed() -> u64 {
    number("INHOUSE_SOAK_SEED").unwrap_or(FIXED_SEED)
}

/// Prints the machine-readable result of a scenario, then panics if a run failed.
#[expect(clippy::print_stdout, reason = "xtask reads the line")]
pub(crate) fn report(name: &str, runs: u32, failures: u32, detail: &str) {
    // libtest may have printed the name of the test without a line break.
    println!("\nsoak: {name} runs={runs} failures={failures} {detail}");
    assert_eq!(failures, 0, "{name}: {failures} of {runs} runs failed");
}

/// Counts the runs of a scenario that failed, and prints why.
#[derive(Default)]
pub(crate) struct Failures(pub(crate) u32);

impl Failures {
    /// Returns the outcome of a run that succeeded.
    #[expect(clippy::print_stdout, reason = "the output of a soak test")]
    pub(crate) fn check<T>(&mut self, run: u32, outcome: Result<T, String>) -> Option<T> {
        outcome
            .inspect_err(|why| {
                self.0 += 1;
                println!("\nrun {run} failed: {why}");
            })
            .ok()
    }
}

/// Lets time pass, in a scenario whose point is a moment.
pub(crate) async fn pass(time: Duration) {
    let _ = timeout(time, pending::<()>()).await;
}

/// Waits for an event of a host, and returns its value.
#[cfg(target_os = "linux")]
pub(crate) async fn event(host: &mut HostProcess, name: &str) -> Result<String, String> {
    let event = host.event(name, DEADLINE).await;
    event.map_err(|why| why.to_string())
}

/// Waits until a host has exited by itself.
#[cfg(target_os = "linux")]
pub(crate) async fn exit(mut host: HostProcess) -> Result<(), String> {
    let exited = host.exited(DEADLINE).await;
    exited.map(drop).map_err(|why| why.to_string())
}

/// A small random number generator (SplitMix64): equal seeds give equal sequences.
pub(crate) struct Rng(u64);

impl Rng {
    /// Creates a generator from [`seed`] for one scenario.
    pub(crate) fn seeded() -> Self {
        Self(seed())
    }

    /// Returns a time below `limit`.
    pub(crate) fn time_below(&mut self, limit: Duration) -> Duration {
        let limit = u64::try_from(limit.as_micros()).unwrap_or(u64::MAX);
        Duration::from_micros(self.below(limit.max(1)))
    }

    /// Returns a number below `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// Further model requests, counted over the runs of a scenario.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) failures: u32,
    requests: usize,
}

impl Tally {
    /// Adds a run after whose end the model got this many requests.
    pub(crate) fn add(&mut self, requests: usize) {
        self.failures += u32::from(requests > 0);
        self.requests += requests;
    }

    pub(crate) fn detail(&self) -> String {
        format!("{} further model requests", self.requests)
    }
}

/// Has the model call the tool `wait` of the server `s` once.
pub(crate) fn script_one_call(model: &ScriptedModel) {
    model.turn(Turn::new().tool_use_with_id("toolu_1", "mcp__s__wait", json!({})));
    model.otherwise(|_| "Going on.");
}

/// Returns how many requests the model got after the first one.
pub(crate) async fn further_requests(model: &ScriptedModel) -> usize {
    let mut requests = 0;
    while model.next_request(LAST_REQUEST).await.is_ok() {
        requests += 1;
    }
    requests
}

/// Waits until a process is dead; a zombie is.
pub(crate) async fn wait_until_dead(pid: u32) {
    let start = Instant::now();
    while !is_dead(pid) {
        assert!(start.elapsed() < DEADLINE, "process {pid} has survived");
        tokio::task::yield_now().await;
    }
}

fn is_dead(pid: u32) -> bool {
    match fs::read_to_string(format!("/proc/{pid}/stat")) {
        // The state follows the name, which may contain anything.
        Ok(stat) => stat
            .rsplit_once(") ")
            .is_none_or(|(_, state)| state.starts_with(['Z', 'X'])),
        Err(_) => true,
    }
}

fn number<T: std::str::FromStr>(variable: &str) -> Option<T> {
    let value = env::var(variable).ok()?;
    let parsed = value.parse().ok();
    Some(parsed.unwrap_or_else(|| panic!("{variable} is not a number: {value}")))
}

#[test]
fn rng_repeats_its_sequence_for_a_seed() {
    let sequence = || {
        let mut rng = Rng::seeded();
        [(); 8].map(|()| rng.below(1000))
    };
    assert_eq!(sequence(), sequence());
    assert!(sequence().iter().any(|&number| number != sequence()[0]));
}
