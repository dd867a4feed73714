use std::time::Duration;

/// How long the CLI may take at each step of a shutdown; five seconds each by default.
///
/// When the time is up the next step follows, so no CLI can keep a session from ending. An idle CLI
/// exits within about a tenth of a second.
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
    /// The time from the end of stdin to TERM, in which the CLI writes the last entries of its
    /// transcript.
    pub grace: Duration,
    /// The time from TERM to KILL.
    pub term: Duration,
}

impl ShutdownTiming {
    /// Sets the time from the end of stdin to TERM.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use inhouse::options::ShutdownTiming;
    ///
    /// let timing = ShutdownTiming::default().grace(Duration::from_secs(1));
    /// assert_eq!(timing.grace, Duration::from_secs(1));
    /// ```
    #[must_use]
    pub const fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Sets the time from TERM to KILL.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use inhouse::options::ShutdownTiming;
    ///
    /// let timing = ShutdownTiming::default().term(Duration::from_secs(1));
    /// assert_eq!(timing.term, Duration::from_secs(1));
    /// ```
    #[must_use]
    pub const fn term(mut self, term: Duration) -> Self {
        self.term = term;
        self
    }

    /// Returns the same timing with no step longer than `limit`.
    pub(crate) fn at_most(self, limit: Duration) -> Self {
        Self {
            grace: self.grace.min(limit),
            term: self.term.min(limit),
        }
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
