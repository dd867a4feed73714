use std::future::Future;
use std::pin::Pin;

use super::ExitStatus;
use super::group::Group;
use super::stderr::Stderr;
use crate::transport::Peer;

/// A CLI as a child process, with everything in its group. Dropping it kills the group.
pub(crate) struct ChildPeer {
    group: Group,
    stderr: Stderr,
}

impl ChildPeer {
    pub(super) fn new(group: Group, stderr: Stderr) -> Self {
        Self { group, stderr }
    }
}

impl Peer for ChildPeer {
    fn pid(&self) -> Option<u32> {
        Some(self.group.pid())
    }

    fn stderr_tail(&self) -> String {
        self.stderr.tail()
    }

    fn exited(&mut self) -> Pin<Box<dyn Future<Output = Option<ExitStatus>> + Send>> {
        let (exited, settled) = (self.group.exited(), self.stderr.settled());
        Box::pin(async move {
            let status = exited.await;
            // So that an error which is made of the exit has all that the CLI said about it.
            settled.await;
            status
        })
    }

    fn terminate(&mut self) {
        self.group.terminate();
    }

    fn kill(&mut self) {
        self.group.kill();
    }
}
