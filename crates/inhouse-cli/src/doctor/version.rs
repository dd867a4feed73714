//! Checks that the CLI starts and is new enough.

use std::ffi::OsStr;
use std::process::{Output, Stdio};
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

use super::Check;

const NAME: &str = "Version";

/// The oldest CLI that the SDK is tested with.
const OLDEST: [u32; 3] = [2, 1, 197];

const DEADLINE: Duration = Duration::from_secs(60);

const UPDATE: &str = "Update the CLI: npm install -g @anthropic-ai/claude-code@latest";
const NODE: &str = "The CLI runs on Node, which is missing or broken: check `node --version`, install Node 18 or newer, then install the \
    CLI again: npm install -g @anthropic-ai/claude-code";
const REINSTALL: &str = "Run the CLI with --version in a terminal, and install it again if it fails: npm install -g @anthropic-ai/claude-code";

/// Asks the CLI for its version.
pub(super) async fn check(program: &OsStr, script: Option<&OsStr>) -> Check {
    let mut command = Command::new(program);
    command.args(script).arg("--version");
    command.stdin(Stdio::null()).kill_on_drop(true);
    match timeout(DEADLINE, command.output()).await {
        Err(_) => Check::failed(
            NAME,
            "the CLI did not print its version within a minute",
            REINSTALL,
        ),
        // The system reports a missing interpreter like a missing program.
        Ok(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => Check::failed(
            NAME,
            format!("the CLI exists, but does not start: {error}"),
            NODE,
        ),
        Ok(Err(error)) => {
            Check::failed(NAME, format!("the CLI does not start: {error}"), REINSTALL)
        }
        Ok(Ok(output)) => judge(&output),
    }
}

fn judge(output: &Output) -> Check {
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let lines: Vec<&str> = stderr.trim().lines().take(5).collect();
        let detail = format!(
            "the CLI does not start: {}\n{}",
            output.status,
            lines.join("\n")
        );
        let is_node = stderr.to_lowercase().contains("node");
        return Check::failed(NAME, detail, if is_node { NODE } else { REINSTALL });
    }
    let text = stdout.split_whitespace().next().unwrap_or_default();
    let Some(version) = parse(text) else {
        let detail = format!("the CLI printed {:?} as its version", stdout.trim());
        return Check::failed(NAME, detail, REINSTALL);
    };
    if version < OLDEST {
        let [major, minor, patch] = OLDEST;
        let detail = format!("{text} is too old: inhouse needs {major}.{minor}.{patch} or newer");
        return Check::failed(NAME, detail, UPDATE);
    }
    Check::passed(NAME, text)
}

fn parse(text: &str) -> Option<[u32; 3]> {
    let mut numbers = text.split(['.', '-', '+']).map(str::parse);
    let mut next = || numbers.next()?.ok();
    Some([next()?, next()?, next()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(parse("2.1.97").unwrap() < OLDEST);
        assert!(parse("2.1.1000").unwrap() > OLDEST);
        assert!(parse("2.2.0-beta.1").unwrap() > OLDEST);
        assert_eq!(parse("Claude"), None);
    }
}
