use std::time::Duration;

use super::Options;
use crate::process::ShutdownTiming;

#[derive(Clone, Debug)]
pub(crate) struct TimingOptions {
    pub(crate) control_timeout: Duration,
    pub(crate) connect_timeout: Duration,
    pub(crate) background_ceiling: Option<Duration>,
    pub(crate) shutdown: ShutdownTiming,
}

impl Default for TimingOptions {
    fn default() -> Self {
        Self {
            control_timeout: Duration::from_secs(60),
            connect_timeout: Duration::from_secs(60),
            background_ceiling: None,
            shutdown: ShutdownTiming::default(),
        }
    }
}

/// Deadlines.
impl Options {
    /// How long a control request may take; 60 s unless set.
    #[must_use]
    pub fn control_timeout(mut self, timeout: Duration) -> Self {
        self.timing.control_timeout = timeout;
        self
    }

    /// How long the CLI may take to start and to accept the session; 60 s unless set.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.timing.connect_timeout = timeout;
        self
    }

    /// How long a run waits for background work after the last turn before it ends the input of
    /// the CLI; zero is no limit.
    ///
    /// Unset, the variable `CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS` decides, else it is 600 s. Set,
    /// the CLI gets it in that variable.
    #[must_use]
    pub fn background_ceiling(mut self, ceiling: Duration) -> Self {
        self.timing.background_ceiling = Some(ceiling);
        self
    }

    /// How long the CLI may take to end by itself, and then when asked to; 5 s each unless set.
    #[must_use]
    pub fn shutdown(mut self, timing: ShutdownTiming) -> Self {
        self.timing.shutdown = timing;
        self
    }
}
