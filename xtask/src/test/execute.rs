//! Running test executables and counting what libtest reports.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::ops::AddAssign;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::available_parallelism;

use anyhow::{Context, Result};

use super::build::{EXCLUDED, Executable};
use crate::command::{cargo, output};

/// The environment variables by which tests find programs.
pub(crate) type Environment = Vec<(&'static str, OsString)>;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Counts {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
    /// The names of the tests that failed, and of executables that crashed.
    pub(crate) failures: Vec<String>,
    /// The number of summaries; an executable that crashes prints none.
    summaries: usize,
}

/// Runs a test executable as cargo does, and hands each line of its output to `on_line`.
pub(crate) fn executable(
    test: &Executable,
    arguments: &[String],
    environment: &Environment,
    on_line: impl FnMut(&str),
) -> Result<Counts> {
    let name = format!("{}/{}", test.package, test.target);
    println!("\n-- {name}");
    let mut command = command_of(test);
    let environment = environment.iter().map(|(name, value)| (name, value));
    stream(&name, command.args(arguments).envs(environment), on_line)
}

pub(crate) fn doctests(root: &Path, arguments: &[String]) -> Result<Counts> {
    let mut command = cargo(root, ["test", "--workspace", "--all-features", "--doc"]);
    command.args(EXCLUDED).arg("--no-fail-fast");
    command.arg("--").args(arguments);
    stream("cargo test --doc", &mut command, |_| {})
}

/// Returns the names of the tests in an executable.
pub(crate) fn list(test: &Executable, arguments: &[String]) -> Result<Vec<String>> {
    let mut command = command_of(test);
    let listing = output(command.args(arguments).args(["--list", "--format=terse"]))?;
    let names = listing
        .lines()
        .filter_map(|line| line.strip_suffix(": test"));
    Ok(names
        .map(|name| format!("{}::{name}", test.target))
        .collect())
}

/// How many tests of a ring run at the same time for each processor.
#[derive(Clone, Copy)]
pub(crate) enum Threads {
    /// For tests that start large processes.
    One,
    /// For tests that also wait for servers and leases most of the time.
    Two,
}

/// Returns the arguments for libtest with a limit on threads.
pub(crate) fn with_limited_threads(arguments: &[String], each: Threads) -> Vec<String> {
    let mut arguments = arguments.to_vec();
    if !arguments
        .iter()
        .any(|argument| argument.starts_with("--test-threads"))
    {
        let processors = available_parallelism().map_or(2, usize::from).clamp(2, 4);
        let threads = match each {
            Threads::One => processors,
            Threads::Two => 2 * processors,
        };
        arguments.push(format!("--test-threads={threads}"));
    }
    arguments
}

fn command_of(test: &Executable) -> Command {
    let mut command = Command::new(&test.path);
    command
        .current_dir(&test.package_directory)
        .env("CARGO_MANIFEST_DIR", &test.package_directory)
        .env("CARGO_PKG_NAME", &test.package);
    command
}

fn stream(name: &str, command: &mut Command, mut on_line: impl FnMut(&str)) -> Result<Counts> {
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().with_context(|| name.to_owned())?;
    let mut stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
    let mut counts = Counts::default();
    let mut line = Vec::new();
    // A test may print bytes that are not UTF-8.
    while stdout.read_until(b'\n', &mut line)? > 0 {
        let text = String::from_utf8_lossy(&line);
        print!("{text}");
        counts.read(text.trim_end());
        on_line(text.trim_end());
        line.clear();
    }
    let status = child.wait()?;
    Ok(counts.finish(name, status.success()))
}

impl Counts {
    /// Reads one line of output: a summary, or the report of a test that failed.
    fn read(&mut self, line: &str) {
        if let Some(summary) = line.strip_prefix("test result: ") {
            self.summaries += 1;
            self.passed += number_before(summary, "passed");
            self.failed += number_before(summary, "failed");
            self.skipped += number_before(summary, "ignored");
        } else if let Some(test) = line.strip_prefix("test ") {
            self.failures
                .extend(test.strip_suffix(" ... FAILED").map(str::to_owned));
        }
    }

    /// Counts an executable that crashed, or printed no summary, as a failure.
    fn finish(mut self, name: &str, success: bool) -> Self {
        if (!success && self.failed == 0) || self.summaries == 0 {
            self.failed += 1;
            self.failures
                .push(format!("{name} exited without a summary"));
        }
        self
    }

    pub(crate) fn total(&self) -> usize {
        self.passed + self.failed + self.skipped
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.failures.extend(other.failures);
        self.summaries += other.summaries;
    }
}

/// Returns the number before `word` in `ok. 3 passed; 0 failed; 1 ignored; …`.
fn number_before(summary: &str, word: &str) -> usize {
    let words: Vec<&str> = summary.split([' ', ';']).collect();
    let pair = words.windows(2).find(|pair| pair[1] == word);
    pair.and_then(|pair| pair[0].parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Counts {
        let mut counts = Counts::default();
        lines.iter().for_each(|line| counts.read(line));
        counts
    }

    const GOOD: &str = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 9 filtered out; finished in 0.01s";
    const BAD: &str = "test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s";

    #[test]
    fn summaries_are_added() {
        let counts = read(&[
            "test a ... ok",
            GOOD,
            "test b::c ... FAILED",
            "test d ... FAILED",
            BAD,
        ]);
        assert_eq!((counts.passed, counts.failed, counts.skipped), (7, 2, 1));
        assert_eq!(counts.failures, ["b::c", "d"]);
    }

    #[test]
    fn crash_is_a_failure() {
        assert_eq!(read(&[GOOD]).finish("x", true).failed, 0);
        assert_eq!(read(&[BAD]).finish("x", false).failed, 2);
        assert_eq!(read(&[GOOD]).finish("x", false).failed, 1);
        assert_eq!(
            read(&[]).finish("x", true).failures,
            ["x exited without a summary"]
        );
    }

    #[test]
    fn program_without_a_summary_has_failed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let counts = stream("version", &mut cargo(root, ["--version"]), |_| {}).unwrap();
        assert_eq!((counts.passed, counts.failed), (0, 1));
        assert!(stream("none", &mut Command::new("no/such/program"), |_| {}).is_err());
    }

    #[test]
    fn threads_are_limited_unless_given() {
        let given = ["--test-threads=1".to_owned()];
        for each in [Threads::One, Threads::Two] {
            assert_eq!(with_limited_threads(&given, each), given);
            assert_eq!(with_limited_threads(&[], each).len(), 1);
        }
    }
}
