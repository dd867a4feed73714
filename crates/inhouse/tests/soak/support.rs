//! What every soak test needs: the number of runs, a seeded generator, and a report line.

use std::env;

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

/// A small random number generator (SplitMix64): equal seeds give equal sequences.
pub(crate) struct Rng(u64);

impl Rng {
    /// Creates a generator from [`seed`] for one scenario.
    pub(crate) fn seeded() -> Self {
        Self(seed())
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
