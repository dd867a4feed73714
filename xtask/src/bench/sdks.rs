//! The official SDKs, installed with npm and pip.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::programs::Programs;
use crate::command::{output, version_of};
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
pub(crate) fn typescript(workspace: &Workspace, programs: &Programs) -> Result<Vec<PathBuf>> {
    let home = programs.directory().join("typescript");
    let node = home.join("node_modules/node/bin/node");
    let packages = TYPESCRIPT.map(|(name, version)| format!("{name}@{version}"));
    install(&home, &packages, || {
        let mut npm = Command::new("npm");
        // The optional dependencies of the SDK are the CLI, which the generator replaces. `node` installs its binary itself.
        npm.args(["install", "--no-audit", "--no-fund", "--omit=optional"])
            .args(&packages)
            .arg("--prefix")
            .arg(&home);
        output(&mut npm)?;
        output(Command::new(&node).arg("--version")).map(drop)
    })?;
    // Node looks for packages from the directory of the script.
    for script in ["host.mjs", "list.mjs"] {
        let source = workspace.root().join("bench/hosts").join(script);
        std::fs::copy(&source, home.join(script)).context(script)?;
    }
    Ok(vec![node, home.join("host.mjs")])
}

/// Returns the command that starts the host of the Python SDK.
pub(crate) fn python(workspace: &Workspace, programs: &Programs) -> Result<Vec<PathBuf>> {
    let home = programs.directory().join("python");
    let interpreter = home.join("bin/python");
    let mut packages = PYTHON
        .map(|(name, version)| format!("{name}=={version}"))
        .to_vec();
    packages.push(version_of("python3")?);
    install(&home, &packages, || {
        output(Command::new("python3").args(["-m", "venv"]).arg(&home))?;
        let mut pip = Command::new(&interpreter);
        pip.args(["-m", "pip", "install", "--quiet"])
            .args(&packages[..PYTHON.len()]);
        output(&mut pip).map(drop)
    })?;
    let script = workspace.root().join("bench/hosts/host.py");
    Ok(vec![interpreter, script])
}

/// Installs `packages` into an empty directory, unless exactly these are installed.
fn install(home: &Path, packages: &[String], steps: impl FnOnce() -> Result<()>) -> Result<()> {
    let done = home.join("installed");
    let wanted = packages.join("\n");
    if std::fs::read_to_string(&done).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    eprintln!("installing into {}", home.display());
    if home.exists() {
        std::fs::remove_dir_all(home)?;
    }
    std::fs::create_dir_all(home)?;
    steps()?;
    std::fs::write(done, wanted)?;
    Ok(())
}
