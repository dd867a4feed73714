//! The hosts that are measured.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use super::programs::Programs;
use super::sdks;
use crate::command::version_of;
use crate::workspace::Workspace;

/// A program that uses a library to talk to a CLI.
pub(crate) struct Host {
    pub(crate) name: &'static str,
    command: Vec<PathBuf>,
}

/// The names of all hosts, in the order of their trials.
pub(crate) const NAMES: [&str; 8] = [
    "floor",
    "closure",
    "closure-current",
    "closure-recorded",
    "macro",
    "rmcp",
    "typescript",
    "python",
];

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

/// Returns the title of a host in tables.
pub(crate) fn title(name: &str) -> &str {
    match name {
        "closure" => "inhouse, closures",
        "closure-current" => "inhouse, closures, one thread",
        "closure-recorded" => "inhouse, closures, recorded",
        "macro" => "inhouse, `#[tool]`",
        "rmcp" => "inhouse, mounted rmcp",
        "typescript" => "official TypeScript SDK",
        "python" => "official Python SDK",
        other => other,
    }
}

impl Host {
    /// Returns the command that starts the host on the first core and kills it after the deadline.
    pub(crate) fn command(&self, deadline: Duration) -> Command {
        let pinned = ["taskset", "-c", "0"].map(PathBuf::from);
        limited(deadline, &[&pinned, &*self.command].concat())
    }

    /// Returns the command that lists sessions with an official SDK; `None` for other hosts.
    pub(crate) fn list_command(&self, deadline: Duration) -> Option<Command> {
        let script = match self.name {
            "typescript" => "list.mjs",
            "python" => "list.py",
            _ => return None,
        };
        let [interpreter, host] = self.command.as_slice() else {
            return None;
        };
        Some(limited(
            deadline,
            &[interpreter.clone(), host.with_file_name(script)],
        ))
    }

    /// Returns the limits of the host's warm-up.
    ///
    /// A just-in-time compiler needs thousands of calls; a compiled host only has to fill its caches.
    pub(crate) fn warm_up(&self, quick: bool) -> &'static str {
        match self.name {
            _ if quick => QUICK,
            "typescript" | "python" => INTERPRETED,
            _ => COMPILED,
        }
    }
}

/// Returns a command that is killed after the deadline.
///
/// The environment has no variable that makes an SDK log, and selects the production mode of Node.
pub(crate) fn limited(deadline: Duration, program: &[PathBuf]) -> Command {
    let mut command = Command::new("timeout");
    command
        .args(["--signal=KILL", &deadline.as_secs().to_string()])
        .args(program)
        .env("NODE_ENV", "production");
    for name in LOGGING {
        command.env_remove(name);
    }
    command
}

/// Returns the chosen hosts that can be started, and the reasons why others cannot.
pub(crate) fn available(
    workspace: &Workspace,
    programs: &Programs,
    chosen: &[String],
) -> Result<(Vec<Host>, BTreeMap<String, String>)> {
    let mut hosts = Vec::new();
    let mut absent = BTreeMap::new();
    for name in NAMES {
        if !chosen.is_empty() && !chosen.iter().any(|chosen| chosen == name) {
            continue;
        }
        let command = match name {
            "typescript" => sdks::typescript(workspace, programs),
            "python" => sdks::python(workspace, programs),
            "floor" => Ok(vec![programs.path("bench-floor")]),
            // `closure-current` stands for `closure current-thread`.
            name => {
                let (backend, variant) = name.split_once('-').unzip();
                let variant = variant.map(|variant| match variant {
                    "current" => "current-thread",
                    variant => variant,
                });
                let arguments = [Some(backend.unwrap_or(name)), variant];
                let arguments = arguments.into_iter().flatten().map(PathBuf::from);
                Ok(std::iter::once(programs.path("bench-host"))
                    .chain(arguments)
                    .collect())
            }
        };
        match command {
            Ok(command) => hosts.push(Host { name, command }),
            Err(error) => {
                eprintln!("{name} is not measured: {error:#}");
                absent.insert(name.to_owned(), format!("{error:#}"));
            }
        }
    }
    Ok((hosts, absent))
}

/// Returns the versions of everything that was measured.
pub(crate) fn versions(workspace: &Workspace, hosts: &[Host]) -> Result<BTreeMap<String, String>> {
    let manifest: toml::Table = workspace.read("Cargo.toml")?.parse()?;
    let own = manifest["workspace"]["package"]["version"].as_str();
    let mut versions = BTreeMap::from([
        ("inhouse".to_owned(), own.unwrap_or_default().to_owned()),
        ("rustc".to_owned(), version_of("rustc")?),
    ]);
    for host in hosts {
        let packages = match host.name {
            "typescript" => sdks::TYPESCRIPT.as_slice(),
            "python" => {
                versions.insert("Python".to_owned(), version_of(&host.command[0])?);
                sdks::PYTHON.as_slice()
            }
            _ => continue,
        };
        versions.extend(packages.iter().map(|(name, version)| {
            let name = format!("{name} ({})", host.name);
            (name, (*version).to_owned())
        }));
    }
    Ok(versions)
}
