use super::{Connection, Transport};
use crate::error::Result;
use crate::launch::Launch;
use crate::process::{Spawned, spawn};

/// The default transport, which starts the CLI as a child process.
///
/// The child leads its own process group, and is killed when the session or the host ends; see
/// [`process`](crate::process). To start the CLI through another command, such as `ssh` or `docker`,
/// use [`Options::wrap_command`](crate::Options::wrap_command).
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
