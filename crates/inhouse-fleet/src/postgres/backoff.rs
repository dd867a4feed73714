//! The pauses between attempts to reach the database.

use std::time::Duration;

use tokio::time::sleep;

const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(5);

/// Pauses that double up to a limit.
#[derive(Debug)]
pub(super) struct Backoff(Duration);

impl Backoff {
    pub(super) fn new() -> Self {
        Self(FIRST)
    }

    pub(super) fn reset(&mut self) {
        self.0 = FIRST;
    }

    /// Returns the next pause.
    pub(super) fn next(&mut self) -> Duration {
        let pause = self.0;
        self.0 = (pause * 2).min(LONGEST);
        pause
    }

    pub(super) async fn wait(&mut self) {
        sleep(self.next()).await;
    }
}
