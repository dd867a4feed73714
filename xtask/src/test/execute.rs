//! Running tests while their output streams by.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::available_parallelism;

use super::build::Executable;
use super::tally::Tally;
use crate::cargo::cargo;

/// Runs one test executable as cargo would: in the directory of its package.
pub(crate) fn executable(
    test: &Executable,
    arguments: &[String],
    environment: &[(&str, OsString)],
) -> Result<Tally, String> {
    executable_with(test, arguments, environment, |_| {})
}

/// Runs one test executable and hands each line of its output to `on_line`.
pub(crate) fn executable_with(
    test: &Executable,
    arguments: &[String],
    environment: &[(&str, OsString)],
    on_line: impl FnMut(&str),
) -> Result<Tally, String> {
    let name = format!("{}/{}", test.package, test.target);
    println!("\n-- {name}");
    let mut command = command_of(test);
    command
        .args(arguments)
        .envs(environment.iter().map(|(name, value)| (name, value)));
    stream(&name, &mut command, on_line)
}

pub(crate) fn doctests(root: &Path, arguments: &[String]) -> Result<Tally, String> {
    let mut command = cargo(
        root,
        [
            "test",
            "--workspace",
            "--all-features",
            "--doc",
            "--no-fail-fast",
            "--",
        ],
    );
    stream("cargo test --doc", command.args(arguments), |_| {})
}

/// The names of the tests of an executable.
pub(crate) fn list(test: &Executable, arguments: &[String]) -> Result<Vec<String>, String> {
    let mut command = command_of(test);
    let output = command
        .args(arguments)
        .args(["--list", "--format=terse"])
        .output()
        .map_err(|cause| format!("{}: {cause}", test.path.display()))?;
    let output = String::from_utf8_lossy(&output.stdout);
    let names = output
        .lines()
        .filter_map(|line| line.strip_suffix(": test"));
    Ok(names
        .map(|name| format!("{}::{name}", test.target))
        .collect())
}

/// Returns the arguments for libtest with a bound on threads: each test starts large processes.
pub(crate) fn bounded(arguments: &[String]) -> Vec<String> {
    let mut arguments = arguments.to_vec();
    if !arguments
        .iter()
        .any(|argument| argument.starts_with("--test-threads"))
    {
        let threads = available_parallelism().map_or(2, usize::from).clamp(2, 4);
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

fn stream(
    name: &str,
    command: &mut Command,
    mut on_line: impl FnMut(&str),
) -> Result<Tally, String> {
    let failed = |cause: std::io::Error| format!("{name}: {cause}");
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let mut stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
    let mut tally = Tally::default();
    let mut line = Vec::new();
    // A test may print what is not UTF-8.
    while stdout.read_until(b'\n', &mut line).map_err(failed)? > 0 {
        let text = String::from_utf8_lossy(&line);
        print!("{text}");
        tally.read(text.trim_end());
        on_line(text.trim_end());
        line.clear();
    }
    let status = child.wait().map_err(failed)?;
    Ok(tally.close(name, status.success()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_a_summary_has_failed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let tally = stream("version", &mut cargo(root, ["--version"]), |_| {}).unwrap();
        assert_eq!((tally.passed, tally.failed), (0, 1));
    }

    #[test]
    fn a_program_that_is_missing_is_an_error() {
        assert!(
            stream(
                "none",
                &mut Command::new("there/is/no/such/program"),
                |_| {}
            )
            .is_err()
        );
    }

    #[test]
    fn threads_are_bounded_unless_the_caller_does_it() {
        let given = ["--test-threads=1".to_owned()];
        assert_eq!(bounded(&given), given);
        let threads: usize = bounded(&[])[0]
            .strip_prefix("--test-threads=")
            .unwrap()
            .parse()
            .unwrap();
        assert!((2..=4).contains(&threads));
    }
}
