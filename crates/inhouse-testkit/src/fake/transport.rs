use std::future::Future;
use std::pin::Pin;

use inhouse::launch::Launch;
use inhouse::transport::{Connection, Peer, Transport};
use inhouse::{ExitStatus, Result};
use tokio::io::DuplexStream;

use super::launched::Launched;
use super::life::Life;
use super::mortal::UntilEnd;

/// The host's way to a [`FakeCli`](super::FakeCli); see [`FakeCli::new`](super::FakeCli::new).
///
/// Starts nothing; [`FakeCli::launched`](super::FakeCli::launched) returns what would have been started.
#[derive(Debug)]
pub struct FakeTransport {
    pub(super) stdin: DuplexStream,
    pub(super) stdout: DuplexStream,
    pub(super) life: Life,
}

impl Transport for FakeTransport {
    async fn open(self, launch: &Launch) -> Result<Connection> {
        self.life.set_launched(Launched::new(launch));
        Ok(Connection {
            reader: Box::new(UntilEnd::new(self.stdout, self.life.clone())),
            writer: Box::new(self.stdin),
            peer: Box::new(FakePeer(self.life)),
        })
    }
}

/// The fake as a process that can be waited for and killed.
struct FakePeer(Life);

impl Peer for FakePeer {
    fn stderr_tail(&self) -> String {
        self.0.stderr()
    }

    fn exited(&mut self) -> Pin<Box<dyn Future<Output = Option<ExitStatus>> + Send>> {
        let ended = self.0.ended();
        Box::pin(async move { Some(ended.await) })
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
