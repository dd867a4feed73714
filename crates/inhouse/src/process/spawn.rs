use std::path::Path;
use std::process::{Command, Stdio};

use tokio::process::{ChildStdin, ChildStdout};

use super::group::{Group, Pipes};
use super::peer::ChildPeer;
use super::spawn_error::explain;
use super::stderr::{Stderr, StderrCallback};
use crate::error::{Error, Result};

/// A started CLI.
pub(crate) struct Spawned {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) peer: ChildPeer,
}

/// Starts `command` with its three streams piped, as the leader of its own process group.
///
/// Must be called inside a runtime.
pub(crate) fn spawn(mut command: Command, callback: Option<StderrCallback>) -> Result<Spawned> {
    if let Some(directory) = command.get_current_dir() {
        check_directory(directory)?;
    }
    let program = command.get_program().to_owned();
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let (group, pipes) = Group::start(command).map_err(|error| explain(&program, error))?;
    let Pipes {
        stdin,
        stdout,
        stderr,
    } = pipes;
    tracing::debug!(pid = group.pid(), "started the CLI");
    Ok(Spawned {
        stdin,
        stdout,
        peer: ChildPeer::new(group, Stderr::drain(stderr, callback)),
    })
}

/// The system reports a missing directory and a missing program alike, so this is asked before.
fn check_directory(directory: &Path) -> Result<()> {
    let shown = directory.display();
    match directory.metadata() {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(Error::config(format!(
            "the working directory {shown} is not a directory; check `Options::cwd`"
        ))),
        Err(error) => Err(Error::config(format!(
            "the working directory {shown} does not exist or cannot be entered; \
             check `Options::cwd`"
        ))
        .with_source(error)),
    }
}
