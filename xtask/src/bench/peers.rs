//! The official SDKs, installed with npm and pip.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::programs::Programs;
use crate::workspace::Workspace;

/// A package and its version.
type Package = (&'static str, &'static str);

/// The TypeScript SDK, the libraries on the path of a tool call, and a Node of a long-term support line.
pub(crate) const TYPESCRIPT: [Package; 4] = [
    ("@anthropic-ai/claude-agent-sdk", "0.3.325"),
    ("@modelcontextprotocol/sdk", "1.32.2"),
    ("zod", "4.6.7"),
    ("node", "22.23.3"),
];

/// The Python SDK and the libraries on the path of a tool call.
pub(crate) const PYTHON: [Package; 5] = [
    ("claude-agent-sdk", "0.2.182"),
    ("mcp", "2.3.0"),
    ("pydantic", "2.14.3"),
    ("jsonschema", "4.26.0"),
    ("anyio", "4.16.0"),
];

/// Returns the command that starts the host of the TypeScript SDK.
pub(crate) fn typescript(
    workspace: &Workspace,
    programs: &Programs,
) -> Result<Vec<PathBuf>, String> {
    let home = programs.workshop().join("typescript");
    let node = home.join("node_modules/node/bin/node");
    let packages = TYPESCRIPT.map(|(name, version)| format!("{name}@{version}"));
    install(&home, &packages, || {
        let mut npm = Command::new("npm");
        // The optional dependencies of the SDK are the CLI, which the generator replaces. `node` installs its binary itself.
        npm.args(["install", "--no-audit", "--no-fund", "--omit=optional"])
            .args(&packages)
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

/// Returns the command that starts the host of the Python SDK.
pub(crate) fn python(workspace: &Workspace, programs: &Programs) -> Result<Vec<PathBuf>, String> {
    let home = programs.workshop().join("python");
    let interpreter = home.join("bin/python");
    let mut packages = PYTHON
        .map(|(name, version)| format!("{name}=={version}"))
        .to_vec();
    packages.push(version_of("python3")?);
    install(&home, &packages, || {
        succeed(Command::new("python3").args(["-m", "venv"]).arg(&home))?;
        let mut pip = Command::new(&interpreter);
        pip.args(["-m", "pip", "install", "--quiet"])
            .args(&packages[..PYTHON.len()]);
        succeed(&mut pip)
    })?;
    let script = workspace.root().join("bench/hosts/host.py");
    Ok(vec![interpreter, script])
}

/// Returns what a program prints for `--version`.
pub(crate) fn version_of(program: impl AsRef<OsStr>) -> Result<String, String> {
    let program = program.as_ref();
    let output = Command::new(program)
        .arg("--version")
        .output()
        .map_err(|cause| format!("{}: {cause}", program.display()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// Installs `packages`, unless exactly these are there.
fn install(
    home: &Path,
    packages: &[String],
    steps: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let done = home.join("installed");
    let wanted = packages.join("\n");
    if std::fs::read_to_string(&done).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    eprintln!("installing into {}", home.display());
    if home.exists() {
        std::fs::remove_dir_all(home).map_err(|cause| cause.to_string())?;
    }
    std::fs::create_dir_all(home).map_err(|cause| cause.to_string())?;
    steps()?;
    std::fs::write(done, wanted).map_err(|cause| cause.to_string())
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
