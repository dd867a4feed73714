#[cfg(unix)]
use std::io;
#[cfg(unix)]
use std::os::fd::OwnedFd;
#[cfg(unix)]
use std::panic::catch_unwind;
use std::path::Path;
use std::process::{Command, Stdio};

use tokio::process::{ChildStdin, ChildStdout};

use super::group::{Group, Pipes};
use super::peer::ChildPeer;
use super::spawn_error::explain;
use super::stderr::{Stderr, StderrCallback};
#[cfg(unix)]
use crate::error::ErrorKind;
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
    #[cfg(unix)]
    check_io()?;
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

/// Checks that the current runtime can read and write pipes, before there is a child to leave behind.
#[cfg(unix)]
fn check_io() -> Result<()> {
    // tokio offers no query for this: it panics if its I/O driver is disabled.
    let registered = catch_unwind(|| {
        let (_reader, writer) = io::pipe()?;
        ChildStdin::from_std(OwnedFd::from(writer).into())
    });
    match registered {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(Error::new(
            ErrorKind::Spawn,
            "a pipe to the CLI cannot be opened or watched",
        )
        .with_source(error)),
        Err(_) => Err(Error::config(
            "the tokio runtime has no I/O, which the pipes of the CLI need; enable I/O when you \
             build it: `enable_all` on `tokio::runtime::Builder`",
        )),
    }
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
