use super::{Connection, Transport};
use crate::error::Result;
use crate::launch::Launch;
use crate::process::{Spawned, spawn};

/// Starts the CLI as a child process: the default transport.
///
/// The child leads a process group of its own and does not outlive the session or the host; see
/// [`process`](crate::process). To start it through another command, such as `ssh` or `docker`, see
/// [`Options::wrap_command`](crate::Options::wrap_command).
#[derive(Clone, Copy, Debug, Default)]
pub struct ChildTransport;

impl Transport for ChildTransport {
    async fn open(self, launch: &Launch) -> Result<Connection> {
        let Spawned {
            stdin,
            stdout,
            peer,
        } = spawn(launch.to_command(), launch.stderr.clone())?;
        Ok(Connection {
            reader: Box::new(stdout),
            writer: Box::new(stdin),
            peer: Box::new(peer),
        })
    }
}
