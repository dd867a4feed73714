//! The rule by which a host counts as warmed up.

use std::str::FromStr;
use std::time::{Duration, Instant};

use super::{Failure, Session};
use crate::report::Report;

/// The length of the windows in which rates are measured.
const WINDOW: Duration = Duration::from_millis(500);

/// The number of consecutive windows that must have about the same rate.
const STEADY_WINDOWS: usize = 3;

/// The maximum difference between the slowest and the fastest of them.
const SPREAD: f64 = 0.05;

/// The number of operations that count as cold.
const COLD_OPERATIONS: u64 = 2_000;

/// The limits of a warm-up.
///
/// A warm-up ends when it has reached its minimum, and the last three windows of 500 ms differ by at most 5 %. It also ends at
/// its maximum: some hosts never become steady.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WarmUp {
    /// The minimum is reached after this many operations,
    operations: u64,
    /// or after this time, whichever comes first.
    at_least: Duration,
    /// The maximum.
    at_most: Duration,
}

/// Parses operations, minimum and maximum in milliseconds: `20000:5000:15000`.
impl FromStr for WarmUp {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let numbers: Result<Vec<u64>, _> = text.split(':').map(str::parse).collect();
        match numbers.as_deref() {
            Ok(&[operations, at_least, at_most]) => Ok(Self {
                operations,
                at_least: Duration::from_millis(at_least),
                at_most: Duration::from_millis(at_most),
            }),
            _ => Err(Failure::new(format!("`{text}` is not a warm-up"))),
        }
    }
}

impl WarmUp {
    /// Repeats `step`, which returns how many operations it did, until the host is warm.
    pub(super) fn run(
        self,
        session: &mut Session,
        report: &mut Report,
        mut step: impl FnMut(&mut Session) -> Result<u64, Failure>,
    ) -> Result<(), Failure> {
        let begin = Instant::now();
        let mut progress = Progress::default();
        let mut cold = None;
        while self.state(&progress) == State::Cold {
            let window = Instant::now();
            let mut operations = 0;
            let mut elapsed = Duration::ZERO;
            while elapsed < WINDOW.min(self.at_most) {
                operations += step(session)?;
                elapsed = window.elapsed();
                let total = progress.operations + operations;
                // Steps of many operations do not end here, and have no such figure.
                if total == COLD_OPERATIONS {
                    cold = Some(begin.elapsed().as_secs_f64() * 1e6 / total as f64);
                }
            }
            progress.add_window(operations, elapsed);
        }
        report.count("warm_up_operations", progress.operations);
        report.set("warm_up_ms", progress.elapsed.as_secs_f64() * 1e3);
        let steady = self.state(&progress) == State::Steady;
        report.count("steady", u64::from(steady));
        if let Some(each) = cold {
            report.set("cold_us", each);
        }
        session.note_memory(report, "warm_kib")
    }

    fn state(self, progress: &Progress) -> State {
        let enough = progress.operations >= self.operations || progress.elapsed >= self.at_least;
        if enough && progress.is_steady() {
            State::Steady
        } else if progress.elapsed >= self.at_most {
            State::GivenUp
        } else {
            State::Cold
        }
    }
}

#[derive(Debug, PartialEq)]
enum State {
    /// The warm-up continues.
    Cold,
    /// The rate does not change any more.
    Steady,
    /// The maximum is reached and the rate still changes.
    GivenUp,
}

/// The windows of a warm-up so far.
#[derive(Default)]
struct Progress {
    operations: u64,
    elapsed: Duration,
    /// Operations per second in each window.
    rates: Vec<f64>,
}

impl Progress {
    fn add_window(&mut self, operations: u64, elapsed: Duration) {
        self.operations += operations;
        self.elapsed += elapsed;
        self.rates.push(operations as f64 / elapsed.as_secs_f64());
    }

    fn is_steady(&self) -> bool {
        let Some(last) = self.rates.last_chunk::<STEADY_WINDOWS>() else {
            return false;
        };
        let fastest = last.iter().copied().fold(f64::MIN, f64::max);
        let slowest = last.iter().copied().fold(f64::MAX, f64::min);
        slowest >= fastest * (1.0 - SPREAD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: WarmUp = WarmUp {
        operations: 20_000,
        at_least: Duration::from_secs(5),
        at_most: Duration::from_secs(15),
    };

    /// The state after windows of one second with these numbers of operations.
    fn state_after(windows: &[u64]) -> State {
        let mut progress = Progress::default();
        for operations in windows {
            progress.add_window(*operations, Duration::from_secs(1));
        }
        LIMITS.state(&progress)
    }

    #[test]
    fn steady_rate_ends_the_warm_up() {
        assert_eq!(state_after(&[8_000, 7_600, 8_000]), State::Steady);
    }

    #[test]
    fn rising_rate_continues_the_warm_up() {
        assert_eq!(state_after(&[3_000, 6_000, 9_000, 12_000]), State::Cold);
        assert_eq!(state_after(&[9_000, 9_300, 9_600]), State::Cold);
    }

    #[test]
    fn one_window_out_of_line_continues_the_warm_up() {
        let windows = [6_000, 6_000, 5_600, 6_000];
        assert_eq!(state_after(&windows), State::Cold);
        assert_eq!(
            state_after(&[windows.as_slice(), &[6_000]].concat()),
            State::Cold
        );
        assert_eq!(
            state_after(&[windows.as_slice(), &[6_000; 2]].concat()),
            State::Steady
        );
    }

    #[test]
    fn minimum_is_reached_by_operations_or_time() {
        assert_eq!(state_after(&[4_999; 4]), State::Cold);
        assert_eq!(state_after(&[5_000; 4]), State::Steady);
        assert_eq!(state_after(&[400; 4]), State::Cold);
        assert_eq!(state_after(&[400; 5]), State::Steady);
    }

    #[test]
    fn fewer_than_three_windows_are_not_steady() {
        assert_eq!(state_after(&[20_000; 2]), State::Cold);
    }

    #[test]
    fn maximum_ends_the_warm_up_of_an_unsteady_host() {
        let mut windows = [1_000, 9_000].repeat(7);
        assert_eq!(state_after(&windows), State::Cold);
        windows.push(1_000);
        assert_eq!(state_after(&windows), State::GivenUp);
    }

    #[test]
    fn steady_host_at_the_maximum_is_steady() {
        assert_eq!(state_after(&[400; 15]), State::Steady);
    }

    #[test]
    fn limits_are_parsed_from_three_numbers() {
        assert_eq!("20000:5000:15000".parse::<WarmUp>().ok(), Some(LIMITS));
        for text in ["", "20000:5000", "1:2:3:4", "a:b:c"] {
            assert!(text.parse::<WarmUp>().is_err(), "{text}");
        }
    }
}
