//! The real CLI: the test kit finds or installs it, the tests learn where it is.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The two versions that the real ring runs against.
#[derive(Debug, PartialEq)]
pub(crate) struct RealCli {
    pinned: PathBuf,
    oldest: PathBuf,
}

impl RealCli {
    /// Runs `real-cli` of the test kit, which prints `pinned=<path>` and `oldest=<path>`.
    ///
    /// The error says why the CLI is not there: what `real-cli` wrote behind its last `error: `.
    pub(crate) fn provide(root: &Path, provider: Option<&Path>) -> Result<Self, String> {
        let provider = provider.ok_or("the test kit has no binary real-cli")?;
        let mut child = Command::new(provider)
            .current_dir(root)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|cause| format!("{}: {cause}", provider.display()))?;
        let stderr = child.stderr.take().expect("stderr is piped");
        let complaints = std::thread::spawn(move || repeat(stderr));
        let mut paths = String::new();
        let mut stdout = child.stdout.take().expect("stdout is piped");
        stdout
            .read_to_string(&mut paths)
            .map_err(|cause| format!("real-cli: {cause}"))?;
        let status = child.wait().map_err(|cause| format!("real-cli: {cause}"))?;
        let reason = complaints.join().expect("repeating lines does not panic");
        if status.success() {
            Self::parse(&paths)
        } else {
            Err(if reason.is_empty() {
                format!("real-cli ended with {status}")
            } else {
                reason
            })
        }
    }

    pub(crate) fn environment(&self) -> [(&'static str, OsString); 2] {
        [
            ("INHOUSE_REAL_CLI", self.pinned.clone().into()),
            ("INHOUSE_REAL_CLI_OLDEST", self.oldest.clone().into()),
        ]
    }

    fn parse(paths: &str) -> Result<Self, String> {
        let path = |key: &str| {
            let mut lines = paths.lines();
            let value = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
            value
                .map(PathBuf::from)
                .ok_or_else(|| format!("real-cli printed no {key}=<path>"))
        };
        Ok(Self {
            pinned: path("pinned")?,
            oldest: path("oldest")?,
        })
    }
}

/// Passes lines on to the terminal, and keeps those from the last `error: ` on.
fn repeat(stderr: impl Read) -> String {
    let mut kept: Vec<String> = Vec::new();
    for line in BufReader::new(stderr).lines().map_while(Result::ok) {
        eprintln!("{line}");
        if let Some(reason) = line.strip_prefix("error: ") {
            kept = vec![reason.to_owned()];
        } else {
            kept.push(line);
        }
    }
    kept.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_paths_are_needed() {
        let both = RealCli::parse("pinned=/a/claude\noldest=/b/claude\n").unwrap();
        assert_eq!(
            both.environment()[0],
            ("INHOUSE_REAL_CLI", "/a/claude".into())
        );
        assert_eq!(
            both.environment()[1],
            ("INHOUSE_REAL_CLI_OLDEST", "/b/claude".into())
        );
        assert_eq!(
            RealCli::parse("pinned=/a/claude\n"),
            Err("real-cli printed no oldest=<path>".to_owned())
        );
    }

    #[test]
    fn the_reason_begins_at_the_last_error() {
        assert_eq!(
            repeat(&b"unpacking\nerror: npm failed\n  no network\n"[..]),
            "npm failed\n  no network"
        );
        assert_eq!(repeat(&b"killed\n"[..]), "killed");
    }

    #[test]
    fn a_missing_provider_is_a_reason() {
        assert!(RealCli::provide(Path::new("."), None).is_err());
    }
}
