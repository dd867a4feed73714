use std::time::Duration;

use tokio::time::timeout;

use super::ExitStatus;
use crate::transport::Peer;

/// How patient [`shutdown`] is at each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShutdownTiming {
    /// From the end of input to the request to end. The CLI writes the last entries of its
    /// transcript in this time.
    pub grace: Duration,
    /// From the request to end to the kill.
    pub term: Duration,
}

impl Default for ShutdownTiming {
    /// Five seconds each. An idle CLI needs about a tenth of a second.
    fn default() -> Self {
        Self {
            grace: Duration::from_secs(5),
            term: Duration::from_secs(5),
        }
    }
}

/// How long a killed peer may take to be gone: a process that hangs in the kernel must not hang the
/// host.
const AFTER_KILL: Duration = Duration::from_secs(5);

/// Sees a peer to its end: waits, asks it to end, waits, kills it.
///
/// To be called after the writer of its [`Connection`](crate::transport::Connection) was closed,
/// since the end of input is what a CLI exits by. `None` if there is no status to know, or if the
/// peer was not even gone after the kill.
///
/// # Cancellation
///
/// Dropping the future leaves the peer where it was; dropping the peer then kills it.
pub async fn shutdown(peer: &mut dyn Peer, timing: ShutdownTiming) -> Option<ExitStatus> {
    if let Ok(status) = timeout(timing.grace, peer.exited()).await {
        return status;
    }
    tracing::debug!(pid = peer.pid(), "still running after the end of its input");
    peer.terminate();
    if let Ok(status) = timeout(timing.term, peer.exited()).await {
        return status;
    }
    tracing::debug!(pid = peer.pid(), "still running after being asked to end");
    peer.kill();
    timeout(AFTER_KILL, peer.exited()).await.ok().flatten()
}

#[cfg(test)]
mod tests {
    use std::future::{self, Future};
    use std::pin::Pin;

    use tokio::time::Instant;

    use super::*;

    #[derive(Clone, Copy, PartialEq, PartialOrd)]
    enum Pressure {
        EndOfInput,
        Terminate,
        Kill,
        Nothing,
    }

    /// Ends as soon as it feels the pressure it yields to.
    struct Stubborn {
        yields_to: Pressure,
        felt: Pressure,
    }

    impl Peer for Stubborn {
        fn exited(&mut self) -> Pin<Box<dyn Future<Output = Option<ExitStatus>> + Send + '_>> {
            if self.felt >= self.yields_to {
                Box::pin(future::ready(Some(ExitStatus::with_code(0))))
            } else {
                Box::pin(future::pending())
            }
        }

        fn terminate(&mut self) {
            self.felt = Pressure::Terminate;
        }

        fn kill(&mut self) {
            self.felt = Pressure::Kill;
        }
    }

    async fn seconds_until_gone(yields_to: Pressure) -> (u64, bool) {
        let mut peer = Stubborn {
            yields_to,
            felt: Pressure::EndOfInput,
        };
        let timing = ShutdownTiming {
            grace: Duration::from_secs(3),
            term: Duration::from_secs(4),
        };
        let start = Instant::now();
        let status = shutdown(&mut peer, timing).await;
        (start.elapsed().as_secs(), status.is_some())
    }

    #[tokio::test(start_paused = true)]
    async fn every_step_is_bounded() {
        assert_eq!(seconds_until_gone(Pressure::EndOfInput).await, (0, true));
        assert_eq!(seconds_until_gone(Pressure::Terminate).await, (3, true));
        assert_eq!(seconds_until_gone(Pressure::Kill).await, (7, true));
        assert_eq!(seconds_until_gone(Pressure::Nothing).await, (12, false));
    }
}
