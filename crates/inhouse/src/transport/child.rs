use std::process::Command;
use std::sync::Arc;

use super::{Connection, Transport};
use crate::error::Result;
use crate::launch::Launch;
use crate::process::{Spawned, StderrCallback, spawn};

/// Starts the CLI as a child process: the default transport.
///
/// The child leads a process group of its own and does not outlive the session or the host; see
/// [`process`](crate::process).
pub struct ChildTransport {
    command: MakeCommand,
    stderr: Option<StderrCallback>,
}

type MakeCommand = Box<dyn FnOnce(&Launch) -> Command + Send>;

impl ChildTransport {
    /// Starts another command in place of the one that the [`Launch`] describes, one that passes it
    /// on: through `ssh`, into a container, under a sandbox.
    ///
    /// The command has to connect its stdin and stdout with those of the CLI, and to end the CLI
    /// when it is ended itself. Its streams and its process group are set here.
    #[must_use]
    pub fn with_command(command: impl FnOnce(&Launch) -> Command + Send + 'static) -> Self {
        Self {
            command: Box::new(command),
            stderr: None,
        }
    }

    /// Gives every line that the process writes to stderr to `callback`, unmasked and without its
    /// end. Without a callback stderr is read all the same, for the tail in errors.
    ///
    /// It runs on the runtime, so it must not block. A line of more than 8 KiB is cut, and says so. A
    /// panic is caught; the next line is delivered again.
    #[must_use]
    pub fn on_stderr(mut self, callback: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.stderr = Some(Arc::new(callback));
        self
    }
}

impl Transport for ChildTransport {
    async fn open(self, launch: &Launch) -> Result<Connection> {
        let command = (self.command)(launch);
        let Spawned {
            stdin,
            stdout,
            peer,
        } = spawn(command, self.stderr)?;
        Ok(Connection {
            reader: Box::new(stdout),
            writer: Box::new(stdin),
            peer: Box::new(peer),
        })
    }
}
