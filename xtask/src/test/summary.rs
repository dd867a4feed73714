//! The last word of a test run.

use std::fmt::Write;
use std::time::Duration;

use super::plan::Plan;
use super::ring::Ring;
use super::tally::Tally;

pub(crate) struct RingReport {
    pub(crate) ring: Ring,
    pub(crate) tally: Tally,
    pub(crate) time: Duration,
}

/// Why the run is not a success: tests that failed, and rings that ran nothing.
///
/// With a filter a ring may well be empty, but not all of them.
pub(crate) fn problems(reports: &[RingReport], plan: &Plan) -> Vec<String> {
    let mut problems = Vec::new();
    for RingReport { ring, tally, .. } in reports {
        problems.extend(
            tally
                .failures
                .iter()
                .map(|failure| format!("ring {ring}: {failure}")),
        );
        if tally.failed > 0 && tally.failures.is_empty() {
            problems.push(format!("ring {ring}: {} tests failed", tally.failed));
        }
        if tally.total() == 0 && plan.arguments.is_empty() {
            problems.push(format!("ring {ring}: no test ran"));
        }
    }
    if problems.is_empty() && reports.iter().all(|report| report.tally.total() == 0) {
        problems.push("no test matched".to_owned());
    }
    problems
}

pub(crate) fn render(reports: &[RingReport], problems: &[String]) -> String {
    let mut text = format!(
        "{:<10} {:>7} {:>7} {:>7} {:>8}\n",
        "ring", "passed", "failed", "skipped", "seconds"
    );
    let mut sum = Tally::default();
    for RingReport { ring, tally, time } in reports {
        let Tally {
            passed,
            failed,
            skipped,
            ..
        } = tally;
        let seconds = time.as_secs_f32();
        let _infallible = writeln!(
            text,
            "{ring:<10} {passed:>7} {failed:>7} {skipped:>7} {seconds:>8.1}"
        );
        sum += tally.clone();
    }
    for problem in problems {
        let _infallible = writeln!(text, "{problem}");
    }
    let Tally {
        passed,
        failed,
        skipped,
        ..
    } = sum;
    let _infallible = writeln!(text, "{passed} passed, {failed} failed, {skipped} skipped");
    text
}

/// Says which tests of a ring did not run, and why.
pub(crate) fn not_run(ring: Ring, reason: &str, names: &[String], must_run: bool) -> String {
    let verdict = if must_run {
        "failed (CI=true: every ring must run)"
    } else {
        "skipped"
    };
    let list: String = names.iter().map(|name| format!("\n  {name}")).collect();
    format!(
        "ring {ring} {verdict}: {} tests not run: {reason}{list}",
        names.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(ring: Ring, passed: usize, failed: usize, skipped: usize) -> RingReport {
        let mut tally = Tally::default();
        (tally.passed, tally.failed, tally.skipped) = (passed, failed, skipped);
        tally.failures = (0..failed).map(|number| format!("test {number}")).collect();
        RingReport {
            ring,
            tally,
            time: Duration::from_millis(1500),
        }
    }

    fn plan(filter: &[&str]) -> Plan {
        Plan {
            rings: Vec::new(),
            arguments: filter.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn failures_and_empty_rings_are_problems() {
        let reports = [
            report(Ring::Pure, 3, 1, 0),
            report(Ring::Process, 0, 0, 0),
            report(Ring::Real, 0, 0, 5),
        ];
        assert_eq!(
            problems(&reports, &plan(&[])),
            ["ring pure: test 0", "ring process: no test ran"]
        );
    }

    #[test]
    fn a_filter_may_empty_a_ring_but_not_all() {
        let reports = [report(Ring::Pure, 3, 0, 0), report(Ring::Process, 0, 0, 0)];
        assert_eq!(problems(&reports, &plan(&["name"])).len(), 0);
        assert_eq!(
            problems(&reports[1..], &plan(&["name"])),
            ["no test matched"]
        );
    }

    #[test]
    fn the_last_line_is_the_sum() {
        let text = render(
            &[report(Ring::Pure, 3, 0, 0), report(Ring::Real, 0, 0, 5)],
            &[],
        );
        assert_eq!(
            text,
            "ring        passed  failed skipped  seconds\n\
             pure             3       0       0      1.5\n\
             real             0       0       5      1.5\n\
             3 passed, 0 failed, 5 skipped\n"
        );
    }

    #[test]
    fn what_did_not_run_is_named() {
        let names = ["real::one".to_owned(), "real::two".to_owned()];
        let text = not_run(Ring::Real, "npm is missing", &names, false);
        assert_eq!(
            text,
            "ring real skipped: 2 tests not run: npm is missing\n  real::one\n  real::two"
        );
        assert!(
            not_run(Ring::Real, "npm is missing", &names, true).starts_with("ring real failed")
        );
    }
}
