use std::future::Future;
use std::pin::Pin;

use inhouse::launch::Launch;
use inhouse::transport::{Connection, Peer, Transport};
use inhouse::{ExitStatus, Result};
use tokio::io::DuplexStream;

use super::launched::Launched;
use super::process_state::ProcessState;
use super::streams::HostStdout;

/// Connects a host to a [`FakeCli`](super::FakeCli); see [`FakeCli::new`](super::FakeCli::new).
///
/// No process is started; [`FakeCli::launched`](super::FakeCli::launched) returns the command that would have been.
#[derive(Debug)]
pub struct FakeTransport {
    pub(super) stdin: DuplexStream,
    pub(super) stdout: DuplexStream,
    pub(super) process: ProcessState,
}

impl Transport for FakeTransport {
    async fn open(self, launch: &Launch) -> Result<Connection> {
        self.process.set_launched(Launched::new(launch));
        Ok(Connection {
            reader: Box::new(HostStdout::new(self.stdout, self.process.clone())),
            writer: Box::new(self.stdin),
            peer: Box::new(FakePeer(self.process)),
        })
    }
}

/// The host's handle to the fake's process.
struct FakePeer(ProcessState);

impl Peer for FakePeer {
    fn stderr_tail(&self) -> String {
        self.0.stderr()
    }

    fn exited(&mut self) -> Pin<Box<dyn Future<Output = Option<ExitStatus>> + Send>> {
        let exited = self.0.exited();
        Box::pin(async move { Some(exited.await) })
    }

    fn terminate(&mut self) {
        self.0.terminate();
    }

    fn kill(&mut self) {
        self.0.kill();
    }
}

impl Drop for FakePeer {
    fn drop(&mut self) {
        self.0.kill();
    }
}
