use std::future::Future;
#[cfg(unix)]
use std::io;
#[cfg(unix)]
use std::os::fd::OwnedFd;
#[cfg(unix)]
use std::panic::catch_unwind;
use std::path::Path;
use std::pin::Pin;
use std::process::{Command, Stdio};
#[cfg(unix)]
use std::time::Duration;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

use super::ExitStatus;
use super::group::Group;
use super::spawn_error::spawn_error;
use super::stderr::{Stderr, StderrCallback};
#[cfg(unix)]
use crate::error::ErrorKind;
use crate::error::{Error, Result};
use crate::transport::Peer;

/// A started CLI.
pub(crate) struct Spawned {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) peer: ChildPeer,
}

/// The three streams of a child.
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

/// Starts `command` with its three streams piped, as the leader of a new process group.
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
    let (group, pipes) = Group::start(command).map_err(|error| spawn_error(&program, error))?;
    tracing::debug!(pid = group.pid(), "CLI started");
    Ok(Spawned {
        stdin: pipes.stdin,
        stdout: pipes.stdout,
        peer: ChildPeer {
            group,
            stderr: Stderr::drain(pipes.stderr, callback),
        },
    })
}

/// A CLI as a child process, with everything in its group. Dropping it kills the group.
pub(crate) struct ChildPeer {
    group: Group,
    stderr: Stderr,
}

impl Peer for ChildPeer {
    fn pid(&self) -> Option<u32> {
        Some(self.group.pid())
    }

    fn stderr_tail(&self) -> String {
        self.stderr.tail()
    }

    fn exited(&mut self) -> Pin<Box<dyn Future<Output = Option<ExitStatus>> + Send>> {
        let (exited, stderr_settled) = (self.group.exited(), self.stderr.settled());
        Box::pin(async move {
            let status = exited.await;
            // The error that reports the exit should contain everything that was written to stderr.
            stderr_settled.await;
            status
        })
    }

    #[cfg(unix)]
    fn kill_after(&mut self, time: Duration) {
        self.group.kill_after(time);
    }

    fn terminate(&mut self) {
        self.group.terminate();
    }

    fn kill(&mut self) {
        self.group.kill();
    }
}

/// Checks that the current runtime can read and write pipes, before a child is started.
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
            "a pipe to the CLI cannot be opened or polled",
        )
        .with_source(error)),
        Err(_) => Err(Error::config(
            "the tokio runtime has no I/O, which the pipes of the CLI need; enable it with \
             `enable_all` on `tokio::runtime::Builder`",
        )),
    }
}

/// Checks the working directory, because the system reports a missing directory and a missing program
/// with the same error.
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
