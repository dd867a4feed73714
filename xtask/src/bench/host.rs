//! The hosts that are measured.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use super::peers;
use super::programs::Programs;
use crate::workspace::Workspace;

/// A program that uses a library to talk to a CLI.
pub(crate) struct Host {
    pub(crate) name: &'static str,
    command: Vec<PathBuf>,
}

/// The limits of a warm-up as the generator reads them: operations, minimum and maximum in milliseconds.
const COMPILED: &str = "2000:500:2000";
const INTERPRETED: &str = "20000:5000:10000";
const QUICK: &str = "100:50:100";

/// Variables that make Node, Python, an SDK or a Rust program log or run in a debug mode.
const LOGGING: [&str; 7] = [
    "CLAUDE_CODE_DEBUG",
    "DEBUG",
    "DEBUG_CLAUDE_AGENT_SDK",
    "NODE_OPTIONS",
    "PYTHONASYNCIODEBUG",
    "PYTHONDEVMODE",
    "RUST_LOG",
];

/// How a host is called in tables.
pub(crate) fn title(name: &str) -> &str {
    match name {
        "floor" => "floor",
        "closure" => "inhouse, closures",
        "closure-current" => "inhouse, closures, one thread",
        "macro" => "inhouse, `#[tool]`",
        "rmcp" => "inhouse, mounted rmcp",
        "typescript" => "official TypeScript SDK",
        "python" => "official Python SDK",
        other => other,
    }
}

impl Host {
    /// Returns the command that starts the host on the first core.
    ///
    /// The environment has nothing that makes an SDK log, and asks Node for its production mode.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new("taskset");
        command
            .args(["-c", "0"])
            .args(&self.command)
            .env("NODE_ENV", "production");
        for name in LOGGING {
            command.env_remove(name);
        }
        command
    }

    /// Returns the limits of the host's warm-up.
    ///
    /// A just-in-time compiler needs thousands of calls to settle; a compiled host only has to fill its caches.
    pub(crate) fn warm_up(&self, quick: bool) -> &'static str {
        match self.name {
            _ if quick => QUICK,
            "typescript" | "python" => INTERPRETED,
            _ => COMPILED,
        }
    }
}

/// The hosts that were asked for and can run, and why others cannot.
pub(crate) fn available(
    workspace: &Workspace,
    programs: &Programs,
    wanted: &[String],
) -> Result<(Vec<Host>, BTreeMap<String, String>), String> {
    let ours = |name, program: &str, arguments: &[&str]| {
        let command = std::iter::once(programs.path(program));
        let command = command.chain(arguments.iter().map(PathBuf::from)).collect();
        (name, Ok(command))
    };
    let wants = |name: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name);
    let mut candidates = vec![
        ours("floor", "bench-floor", &[]),
        ours("closure", "bench-host", &["closure"]),
        ours(
            "closure-current",
            "bench-host",
            &["closure", "current-thread"],
        ),
        ours("macro", "bench-host", &["macro"]),
        ours("rmcp", "bench-host", &["rmcp"]),
    ];
    if wants("typescript") {
        candidates.push(("typescript", peers::typescript(workspace, programs)));
    }
    if wants("python") {
        candidates.push(("python", peers::python(workspace, programs)));
    }
    if let Some(unknown) = wanted
        .iter()
        .find(|wanted| candidates.iter().all(|(name, _)| name != wanted))
    {
        return Err(format!("`{unknown}` is no host"));
    }
    let mut hosts = Vec::new();
    let mut absent = BTreeMap::new();
    for (name, command) in candidates.into_iter().filter(|(name, _)| wants(name)) {
        match command {
            Ok(command) => hosts.push(Host { name, command }),
            Err(reason) => {
                eprintln!("{name} takes no part: {reason}");
                absent.insert(name.to_owned(), reason);
            }
        }
    }
    Ok((hosts, absent))
}

/// What was measured, in which version.
pub(crate) fn versions(
    workspace: &Workspace,
    hosts: &[Host],
) -> Result<BTreeMap<String, String>, String> {
    let mut versions = BTreeMap::from([
        ("inhouse".to_owned(), own_version(workspace)?),
        ("rustc".to_owned(), peers::version_of("rustc")?),
    ]);
    for host in hosts {
        let packages = match host.name {
            "typescript" => peers::TYPESCRIPT.as_slice(),
            "python" => {
                let version = peers::version_of(&host.command[0])?;
                versions.insert("Python".to_owned(), version);
                peers::PYTHON.as_slice()
            }
            _ => continue,
        };
        let packages = packages.iter();
        versions.extend(packages.map(|(name, version)| {
            let name = format!("{name} ({})", host.name);
            (name, (*version).to_owned())
        }));
    }
    Ok(versions)
}

/// The version that all crates of the workspace have.
fn own_version(workspace: &Workspace) -> Result<String, String> {
    let manifest = workspace.read("Cargo.toml")?;
    let mut lines = manifest.lines();
    let version = lines.find_map(|line| line.strip_prefix("version = "));
    version
        .map(|version| version.trim_matches('"').to_owned())
        .ok_or_else(|| "Cargo.toml names no version".to_owned())
}
