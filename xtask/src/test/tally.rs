//! Counting what libtest reports.

use std::ops::AddAssign;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
    /// The names of tests that failed, and whatever else went wrong.
    pub(crate) failures: Vec<String>,
    /// How many summaries were read: a test executable that dies leaves none.
    summaries: usize,
}

impl Tally {
    /// Reads one line of output: either a summary, or the report of a test that failed.
    pub(crate) fn read(&mut self, line: &str) {
        if let Some(summary) = line.strip_prefix("test result: ") {
            self.summaries += 1;
            self.passed += count(summary, "passed");
            self.failed += count(summary, "failed");
            self.skipped += count(summary, "ignored");
        } else if let Some(name) = line
            .strip_prefix("test ")
            .and_then(|line| line.strip_suffix(" ... FAILED"))
        {
            self.failures.push(name.to_owned());
        }
    }

    /// Compares the counts with how the run of `what` ended, so that no crash goes unnoticed.
    pub(crate) fn close(mut self, what: &str, success: bool) -> Self {
        if (!success && self.failed == 0) || self.summaries == 0 {
            self.failed += 1;
            self.failures.push(format!("{what} ended without a result"));
        }
        self
    }

    pub(crate) fn total(&self) -> usize {
        self.passed + self.failed + self.skipped
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.failures.extend(other.failures);
        self.summaries += other.summaries;
    }
}

/// The number before `word` in `ok. 3 passed; 0 failed; 1 ignored; …`.
fn count(summary: &str, word: &str) -> usize {
    let words: Vec<&str> = summary.split([' ', ';']).collect();
    let pair = words.windows(2).find(|pair| pair[1] == word);
    pair.and_then(|pair| pair[0].parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Tally {
        let mut tally = Tally::default();
        lines.iter().for_each(|line| tally.read(line));
        tally
    }

    const GOOD: &str = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 9 filtered out; finished in 0.01s";
    const BAD: &str = "test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s";

    #[test]
    fn summaries_add_up() {
        let tally = read(&[
            "running 4 tests",
            "test a ... ok",
            GOOD,
            "test b::c ... FAILED",
            "test d ... FAILED",
            BAD,
        ]);
        assert_eq!((tally.passed, tally.failed, tally.skipped), (7, 2, 1));
        assert_eq!(tally.failures, ["b::c", "d"]);
    }

    #[test]
    fn a_good_run_stays_as_it_is() {
        assert_eq!(read(&[GOOD]).close("x", true).failed, 0);
        assert_eq!(read(&[BAD]).close("x", false).failed, 2);
    }

    #[test]
    fn a_crash_is_a_failure() {
        assert_eq!(
            read(&["running 4 tests"]).close("x", false).failures,
            ["x ended without a result"]
        );
        assert_eq!(read(&[GOOD]).close("x", false).failed, 1);
        assert_eq!(read(&[]).close("x", true).failed, 1);
    }
}
