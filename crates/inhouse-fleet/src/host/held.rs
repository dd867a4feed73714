use std::time::Duration;

use inhouse::ErrorKind;
use tokio::time::{Instant, sleep};

use super::end::End;

/// How long another owner of the session is waited for.
const HELD: Duration = Duration::from_secs(600);

/// The first and the longest pause between two attempts to get a session that another owner has.
const HELD_PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// A session that another owner may have.
pub(super) struct HeldSession {
    until: Instant,
    pause: Duration,
    was_waited_for: bool,
}

impl HeldSession {
    pub(super) fn new() -> Self {
        Self {
            until: Instant::now() + HELD,
            pause: HELD_PAUSES.0,
            was_waited_for: false,
        }
    }

    /// Waits before the next attempt; any other error, and one after too long a time, is returned.
    pub(super) async fn wait(&mut self, error: inhouse::Error) -> Result<(), End> {
        if error.kind() != ErrorKind::Held || Instant::now() >= self.until {
            return Err(error.into());
        }
        if !self.was_waited_for {
            tracing::info!(%error, "waiting for the session");
        }
        self.was_waited_for = true;
        sleep(self.pause).await;
        self.pause = (self.pause * 2).min(HELD_PAUSES.1);
        Ok(())
    }
}
