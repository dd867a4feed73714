//! The official SDKs, installed by the clients that everybody uses.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::programs::Programs;
use crate::workspace::Workspace;

pub(crate) const TYPESCRIPT_VERSION: &str = "0.3.325";
pub(crate) const PYTHON_VERSION: &str = "0.2.182";

/// The command that starts the host of the TypeScript SDK.
pub(crate) fn typescript(
    workspace: &Workspace,
    programs: &Programs,
) -> Result<Vec<PathBuf>, String> {
    let home = programs
        .workshop()
        .join(format!("typescript-{TYPESCRIPT_VERSION}"));
    install(&home, || {
        let package = format!("@anthropic-ai/claude-agent-sdk@{TYPESCRIPT_VERSION}");
        let mut npm = Command::new("npm");
        // The optional parts are the CLI itself, which the generator plays.
        npm.args(["install", "--no-audit", "--no-fund", "--omit=optional"])
            .arg(package)
            .arg("--prefix")
            .arg(&home);
        succeed(&mut npm)
    })?;
    // Where it lies decides which packages it finds.
    let script = home.join("host.mjs");
    let source = workspace.root().join("bench/hosts/host.mjs");
    std::fs::copy(&source, &script).map_err(|cause| format!("{}: {cause}", source.display()))?;
    Ok(vec!["node".into(), script])
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
