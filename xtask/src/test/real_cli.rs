//! The real CLI: the binary `real-cli` of the test kit finds or installs it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::execute::Environment;

/// Returns the variables with the paths of the pinned and of the oldest supported version.
///
/// `real-cli` prints `pinned=<path>` and `oldest=<path>`, and its progress and errors on the terminal.
///
/// # Errors
/// Returns an error if the CLI can be neither found nor installed.
pub(crate) fn provide(root: &Path, provider: Option<&Path>) -> Result<Environment> {
    let provider = provider.context("the test kit has no binary real-cli")?;
    let mut command = Command::new(provider);
    command
        .current_dir(root)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    let output = command.output().context("real-cli")?;
    if !output.status.success() {
        bail!("real-cli: {}; its error is above", output.status);
    }
    parse(&String::from_utf8_lossy(&output.stdout))
}

fn parse(paths: &str) -> Result<Environment> {
    let path = |key: &str| {
        let mut lines = paths.lines();
        let value = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        let path = value.map(|value| PathBuf::from(value).into());
        path.with_context(|| format!("real-cli printed no {key}=<path>"))
    };
    Ok(vec![
        ("INHOUSE_REAL_CLI", path("pinned")?),
        ("INHOUSE_REAL_CLI_OLDEST", path("oldest")?),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_paths_are_required() {
        let both = parse("pinned=/a/claude\noldest=/b/claude\n").unwrap();
        assert_eq!(both[0], ("INHOUSE_REAL_CLI", "/a/claude".into()));
        assert_eq!(both[1], ("INHOUSE_REAL_CLI_OLDEST", "/b/claude".into()));
        let error = parse("pinned=/a/claude\n").unwrap_err();
        assert_eq!(error.to_string(), "real-cli printed no oldest=<path>");
    }
}
