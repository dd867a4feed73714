use std::time::Duration;

/// How long the CLI may take at each step of a session's end; five seconds unless set.
///
/// When its time is up the next step follows, so that no CLI can keep a session from ending. An idle
/// CLI needs about a tenth of a second.
///
/// ```
/// use std::time::Duration;
///
/// use inhouse::Options;
/// use inhouse::options::ShutdownTiming;
///
/// let timing = ShutdownTiming::default().grace(Duration::from_secs(30));
/// assert_eq!(timing.term, Duration::from_secs(5));
/// let options = Options::new().shutdown(timing);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShutdownTiming {
    /// From the end of input to the request to end. The CLI writes the last entries of its
    /// transcript in this time.
    pub grace: Duration,
    /// From the request to end to the kill.
    pub term: Duration,
}

impl ShutdownTiming {
    /// Sets the time from the end of input to the request to end.
    #[must_use]
    pub const fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Returns the same timing with no step longer than `limit`.
    pub(crate) fn at_most(self, limit: Duration) -> Self {
        Self {
            grace: self.grace.min(limit),
            term: self.term.min(limit),
        }
    }

    /// Sets the time from the request to end to the kill.
    #[must_use]
    pub const fn term(mut self, term: Duration) -> Self {
        self.term = term;
        self
    }
}

impl Default for ShutdownTiming {
    fn default() -> Self {
        Self {
            grace: Duration::from_secs(5),
            term: Duration::from_secs(5),
        }
    }
}
