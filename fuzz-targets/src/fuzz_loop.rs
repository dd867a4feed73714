//! The mutating loop that feeds a target on a stable toolchain.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::Target;
use crate::mutate::mutate;

/// Time in which a target must handle one input, whose length is at most 64 KiB.
const SLOW: Duration = Duration::from_secs(5);

/// Number of mutants that are kept to be mutated further.
const MAX_KEPT: usize = 256;

/// The limits of one run of the loop.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time after which no further input is tried.
    pub time: Duration,
    /// The seed of all random choices. With the same seed, the inputs are the same.
    pub seed: u64,
}

/// The outcome of one run of the loop.
#[derive(Clone, Debug)]
pub struct Report {
    /// Number of inputs that were tried.
    pub executions: u64,
    /// Time from the first input to the last.
    pub time: Duration,
    /// One finding for each failed assertion.
    pub findings: Vec<Finding>,
}

/// An input for which the property of a target does not hold.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The bytes to pass to the target.
    pub input: Vec<u8>,
    /// The panic message, or that the input took too long.
    pub reason: String,
}

/// Checks all seeds of a target, then mutants of them until the time is up.
///
/// Without coverage the loop does not know which mutants are interesting. It keeps some at random, so that changes add
/// up.
#[must_use]
pub fn fuzz(target: Target, limits: Limits) -> Report {
    let mut rng = Rng::with_seed(limits.seed);
    let seeds = (target.seeds)();
    let mut inputs = seeds.clone();
    // By the place of the panic, so that one defect is one finding.
    let mut findings = BTreeMap::new();
    let mut executions = 0;
    let start = Instant::now();
    let mut pending = seeds.iter().cloned();
    loop {
        let input = pending.next().unwrap_or_else(|| mutate(&inputs, &mut rng));
        executions += 1;
        if let Err((place, reason)) = check(target, &input) {
            findings.entry(place).or_insert(Finding { input, reason });
        } else if executions > seeds.len() as u64 && rng.u8(..32) == 0 {
            if inputs.len() < seeds.len() + MAX_KEPT {
                inputs.push(input);
            } else {
                let at = rng.usize(seeds.len()..inputs.len());
                inputs[at] = input;
            }
        }
        if start.elapsed() >= limits.time && pending.len() == 0 {
            break;
        }
    }
    Report {
        executions,
        time: start.elapsed(),
        findings: findings.into_values().collect(),
    }
}

/// Checks one input, such as that of a finding.
///
/// # Errors
/// Returns the reason if the property does not hold.
pub fn reproduce(target: Target, input: &[u8]) -> Result<(), String> {
    check(target, input).map_err(|(_, reason)| reason)
}

/// Returns the place and the reason of a failure.
fn check(target: Target, input: &[u8]) -> Result<(), (String, String)> {
    let start = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.check)(input)));
    match outcome {
        Err(panic) => {
            let message = message_of(&*panic);
            let place = PLACE.lock().ok().and_then(|mut place| place.take());
            let place = place.unwrap_or_default();
            Err((place.clone(), format!("{place}: {message}")))
        }
        Ok(()) if start.elapsed() > SLOW => {
            let reason = format!("took {:.1} s", start.elapsed().as_secs_f32());
            Err(("slow".to_owned(), reason))
        }
        Ok(()) => Ok(()),
    }
}

/// The place of the last panic, which [`record_places`] keeps.
static PLACE: Mutex<Option<String>> = Mutex::new(None);

/// Replaces the panic hook of the process: the place of a panic is kept for its finding, and nothing is printed.
pub fn record_places() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        if let Ok(mut last) = PLACE.lock() {
            *last = place;
        }
    }));
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    let text = text.unwrap_or("a panic without a message");
    text.chars().take(2_000).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(milliseconds: u64) -> Limits {
        Limits {
            time: Duration::from_millis(milliseconds),
            seed: 1,
        }
    }

    fn no_seeds() -> Vec<Vec<u8>> {
        vec![b"in".to_vec()]
    }

    #[test]
    fn panic_of_a_target_is_a_finding_that_its_input_reproduces() {
        let target = Target {
            name: "a",
            check: |input| assert!(input.len() < 8, "too long"),
            seeds: no_seeds,
        };
        let report = fuzz(target, limits(2_000));
        assert!(report.executions > 1, "{report:?}");
        let [finding] = &*report.findings else {
            panic!("{report:?}");
        };
        let reason = reproduce(target, &finding.input).unwrap_err();
        assert!(reason.contains("too long"), "{reason}");
        assert_eq!(reproduce(target, b"in"), Ok(()));
    }

    #[test]
    fn every_seed_is_tried_even_without_time() {
        let target = Target {
            name: "a",
            check: |input| assert!(input != b"in", "reached"),
            seeds: no_seeds,
        };
        assert_eq!(fuzz(target, limits(0)).findings.len(), 1);
    }

    #[test]
    fn mutants_are_the_same_with_the_same_seed() {
        let mutants = |seed| {
            let mut rng = Rng::with_seed(seed);
            let inputs = [b"{\"type\":\"user\"}".to_vec(), b"abc".to_vec()];
            (0..50)
                .map(|_| mutate(&inputs, &mut rng))
                .collect::<Vec<_>>()
        };
        assert_eq!(mutants(1), mutants(1));
        assert_ne!(mutants(1), mutants(2));
    }
}
