//! Recording the fixtures of `inhouse-proto` from the real CLI.

use crate::cargo::cargo;
use crate::workspace::Workspace;

/// Where the recordings are kept, one directory for each version of the CLI.
const FIXTURES: &str = "crates/inhouse-proto/fixtures";

/// Plays the scenarios of these names, or all, and keeps what was said; tells whether all could be played.
pub(crate) fn run(workspace: &Workspace, scenarios: &[String]) -> Result<bool, String> {
    let mut command = cargo(
        workspace.root(),
        [
            "run",
            "--quiet",
            "--package=inhouse-testkit",
            "--bin=record",
            "--",
            FIXTURES,
        ],
    );
    let status = command
        .args(scenarios)
        .status()
        .map_err(|cause| format!("cargo run: {cause}"))?;
    Ok(status.success())
}
