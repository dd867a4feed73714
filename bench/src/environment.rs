//! The environment variables with which `cargo xtask bench` configures hosts and the generator.
//!
//! The CLI inherits the environment of the host, so one set of variables serves both.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use crate::generator::{Failure, Timing};

/// The path of the program that the host starts as the CLI.
pub const CLI: &str = "BENCH_CLI";
/// The scenario of the generator; see [`Scenario`](crate::generator::Scenario).
pub const SCENARIO: &str = "BENCH_SCENARIO";
/// The limits of the warm-up; see [`WarmUp`](crate::generator::WarmUp).
pub const WARM_UP: &str = "BENCH_WARM_UP";
/// The length of the measurement in milliseconds.
pub const MILLISECONDS: &str = "BENCH_MILLISECONDS";
/// The core of the generator; the host's core if unset.
pub const CLI_CORE: &str = "BENCH_CLI_CORE";
/// The path of the generator's report.
pub const CLI_REPORT: &str = "BENCH_CLI_REPORT";
/// The path of the host's report.
pub const HOST_REPORT: &str = "BENCH_HOST_REPORT";
/// The number of tool servers of the host; one if unset.
pub const SERVERS: &str = "BENCH_SERVERS";
/// If set, the host starts to read its messages when the tool `read` is called.
pub const READ_LATE: &str = "BENCH_READ_LATE";
/// The file to which the host appends one byte for each message without text that it reads.
pub const READ_MARKS: &str = "BENCH_READ_MARKS";

/// Returns the value of a variable.
///
/// # Errors
/// Returns an error if the variable is not set.
pub fn required(name: &str) -> Result<String, Failure> {
    std::env::var(name).map_err(|_| Failure::new(format!("{name} is not set")))
}

/// Returns the value of a variable as a path.
///
/// # Errors
/// Returns an error if the variable is not set.
pub fn path(name: &str) -> Result<PathBuf, Failure> {
    required(name).map(PathBuf::from)
}

/// Returns the value of a variable as a number, or `None` if it is not set.
///
/// # Errors
/// Returns an error if the value is not a number.
pub fn number(name: &str) -> Result<Option<usize>, Failure> {
    let Ok(value) = std::env::var(name) else {
        return Ok(None);
    };
    let number = value
        .parse()
        .map_err(|_| Failure::new(format!("{name} is not a number: {value}")))?;
    Ok(Some(number))
}

/// Returns the lengths of warm-up and measurement.
///
/// # Errors
/// Returns an error if a variable is missing or malformed.
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
/// Returns an error if the file cannot be written.
pub fn confirm_read() -> Result<(), Failure> {
    let path = path(READ_MARKS)?;
    let file = OpenOptions::new().create(true).append(true).open(&path);
    file.and_then(|mut file| file.write_all(b"."))
        .map_err(|cause| Failure::of(READ_MARKS, cause))
}
