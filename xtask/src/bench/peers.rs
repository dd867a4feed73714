//! The official SDKs, installed with npm and pip.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::programs::Programs;
use crate::workspace::Workspace;

pub(crate) const TYPESCRIPT_VERSION: &str = "0.3.325";
/// The version of the npm package `node`, a Node of a long-term support line.
const NODE_VERSION: &str = "22.23.3";
pub(crate) const PYTHON_VERSION: &str = "0.2.182";

/// The command that starts the host of the TypeScript SDK.
pub(crate) fn typescript(
    workspace: &Workspace,
    programs: &Programs,
) -> Result<Vec<PathBuf>, String> {
    let home = programs
        .workshop()
        .join(format!("typescript-{TYPESCRIPT_VERSION}-{NODE_VERSION}"));
    let node = home.join("node_modules/node/bin/node");
    install(&home, || {
        let mut npm = Command::new("npm");
        // The optional dependencies of the SDK are the CLI, which the generator replaces. Those of `node` are installed by its
        // own script.
        npm.args(["install", "--no-audit", "--no-fund", "--omit=optional"])
            .arg(format!(
                "@anthropic-ai/claude-agent-sdk@{TYPESCRIPT_VERSION}"
            ))
            .arg(format!("node@{NODE_VERSION}"))
            .arg("--prefix")
            .arg(&home);
        succeed(&mut npm)?;
        succeed(Command::new(&node).arg("--version"))
    })?;
    // Node looks for packages from the directory of the script.
    let script = home.join("host.mjs");
    let source = workspace.root().join("bench/hosts/host.mjs");
    std::fs::copy(&source, &script).map_err(|cause| format!("{}: {cause}", source.display()))?;
    Ok(vec![node, script])
}

/// The command that starts the host of the Python SDK.
pub(crate) fn python(workspace: &Workspace, programs: &Programs) -> Result<Vec<PathBuf>, String> {
    let home = programs.workshop().join(format!("python-{PYTHON_VERSION}"));
    let interpreter = home.join("bin/python");
    install(&home, || {
        succeed(Command::new("python3").args(["-m", "venv"]).arg(&home))?;
        let package = format!("claude-agent-sdk=={PYTHON_VERSION}");
        succeed(Command::new(&interpreter).args(["-m", "pip", "install", "--quiet", &package]))
    })?;
    let script = workspace.root().join("bench/hosts/host.py");
    Ok(vec![interpreter, script])
}

/// Installs once: what failed half way is begun anew.
fn install(home: &Path, steps: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    let done = home.join("installed");
    if done.exists() {
        return Ok(());
    }
    eprintln!("installing into {}", home.display());
    if home.exists() {
        std::fs::remove_dir_all(home).map_err(|cause| cause.to_string())?;
    }
    std::fs::create_dir_all(home).map_err(|cause| cause.to_string())?;
    steps()?;
    std::fs::write(done, "").map_err(|cause| cause.to_string())
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|cause| format!("{program}: {cause}"))?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = complaint.lines().next_back().unwrap_or_default();
    Err(format!("{program} ended with {}: {last}", output.status))
}
