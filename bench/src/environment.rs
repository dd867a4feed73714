//! The variables by which `cargo xtask bench` tells hosts and the generator what to do.
//!
//! A host passes its environment on to the CLI that it starts, so that one place reaches both.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use crate::generator::{Failure, Timing};

/// The program to start as the CLI.
pub const CLI: &str = "BENCH_CLI";
/// What the generator does; see [`Scenario`](crate::generator::Scenario).
pub const SCENARIO: &str = "BENCH_SCENARIO";
/// How long it warms the host up; see [`WarmUp`](crate::generator::WarmUp).
pub const WARM_UP: &str = "BENCH_WARM_UP";
/// For how long it measures, in milliseconds.
pub const MILLISECONDS: &str = "BENCH_MILLISECONDS";
/// The core on which the generator runs, unless it is the host's.
pub const CLI_CORE: &str = "BENCH_CLI_CORE";
/// Where the generator leaves its report.
pub const CLI_REPORT: &str = "BENCH_CLI_REPORT";
/// Where the host leaves its report.
pub const HOST_REPORT: &str = "BENCH_HOST_REPORT";
/// How many servers of tools the host has; one unless set.
pub const SERVERS: &str = "BENCH_SERVERS";
/// Set when the host begins to read its messages only when the tool `read` is called.
pub const READ_LATE: &str = "BENCH_READ_LATE";
/// The file to which the host appends one byte for each message without text that it reads.
pub const READ_MARKS: &str = "BENCH_READ_MARKS";

/// The value of a variable that must be set.
///
/// # Errors
/// When it is not.
pub fn required(name: &str) -> Result<String, Failure> {
    std::env::var(name).map_err(|_| Failure::new(format!("{name} is not set")))
}

/// A path that must be set.
///
/// # Errors
/// When it is not.
pub fn path(name: &str) -> Result<PathBuf, Failure> {
    required(name).map(PathBuf::from)
}

/// A number, if it is set.
///
/// # Errors
/// When it is something else than a number.
pub fn number(name: &str) -> Result<Option<usize>, Failure> {
    let Ok(value) = std::env::var(name) else {
        return Ok(None);
    };
    let number = value
        .parse()
        .map_err(|_| Failure::new(format!("{name} is no number: {value}")))?;
    Ok(Some(number))
}

/// How long to warm up and to measure.
///
/// # Errors
/// When a variable is not set, or to something else.
pub fn timing() -> Result<Timing, Failure> {
    let milliseconds =
        number(MILLISECONDS)?.ok_or_else(|| Failure::new(format!("{MILLISECONDS} is not set")))?;
    Ok(Timing {
        warm_up: required(WARM_UP)?.parse()?,
        duration: Duration::from_millis(milliseconds as u64),
    })
}

/// Confirms to the generator that a message without text was read.
///
/// # Errors
/// When the file cannot be written.
pub fn confirm_read() -> Result<(), Failure> {
    let path = path(READ_MARKS)?;
    let file = OpenOptions::new().create(true).append(true).open(&path);
    file.and_then(|mut file| file.write_all(b"."))
        .map_err(|cause| Failure::of(READ_MARKS, cause))
}
