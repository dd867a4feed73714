use std::fmt;

use tokio::sync::watch;

/// The exit status of a CLI process.
///
/// ```
/// use inhouse::ExitStatus;
///
/// let status = ExitStatus::with_signal(9);
/// assert_eq!((status.code(), status.signal()), (None, Some(9)));
/// assert!(!status.success());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExitStatus {
    code: Option<i32>,
    signal: Option<i32>,
}

impl ExitStatus {
    /// Creates the status of a process that exited with a code.
    ///
    /// ```
    /// use inhouse::ExitStatus;
    ///
    /// let status = ExitStatus::with_code(1);
    /// assert_eq!(status.to_string(), "exit code 1");
    /// ```
    #[must_use]
    pub const fn with_code(code: i32) -> Self {
        Self {
            code: Some(code),
            signal: None,
        }
    }

    /// Creates the status of a process that was terminated by a signal.
    ///
    /// ```
    /// use inhouse::ExitStatus;
    ///
    /// let killed = ExitStatus::with_signal(9);
    /// assert_eq!(killed.to_string(), "signal 9");
    /// ```
    #[must_use]
    pub const fn with_signal(signal: i32) -> Self {
        Self {
            code: None,
            signal: Some(signal),
        }
    }

    /// Returns the exit code; `None` if a signal terminated the process.
    ///
    /// ```
    /// use inhouse::ExitStatus;
    ///
    /// assert_eq!(ExitStatus::with_code(3).code(), Some(3));
    /// assert_eq!(ExitStatus::with_signal(15).code(), None);
    /// ```
    #[must_use]
    pub const fn code(self) -> Option<i32> {
        self.code
    }

    /// Returns the number of the signal that terminated the process; `None` if it exited by itself.
    ///
    /// ```
    /// use inhouse::ExitStatus;
    ///
    /// assert_eq!(ExitStatus::with_signal(15).signal(), Some(15));
    /// assert_eq!(ExitStatus::with_code(3).signal(), None);
    /// ```
    #[must_use]
    pub const fn signal(self) -> Option<i32> {
        self.signal
    }

    /// Returns whether the process exited with code 0.
    ///
    /// ```
    /// use inhouse::ExitStatus;
    ///
    /// assert!(ExitStatus::with_code(0).success());
    /// assert!(!ExitStatus::with_code(1).success());
    /// ```
    #[must_use]
    pub const fn success(self) -> bool {
        matches!(self.code, Some(0))
    }
}

impl From<std::process::ExitStatus> for ExitStatus {
    fn from(status: std::process::ExitStatus) -> Self {
        #[cfg(unix)]
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        #[cfg(not(unix))]
        let signal = None;
        Self {
            code: status.code(),
            signal,
        }
    }
}

impl fmt::Display for ExitStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, self.signal) {
            (Some(code), _) => write!(f, "exit code {code}"),
            (None, Some(signal)) => write!(f, "signal {signal}"),
            (None, None) => f.write_str("an unknown status"),
        }
    }
}

/// Whether a process has exited.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ExitState {
    Running,
    /// `None` if the status is unknown because other code has reaped the process.
    Exited(Option<ExitStatus>),
}

/// Resolves once the process has exited.
pub(super) async fn wait_for_exit(mut state: watch::Receiver<ExitState>) -> Option<ExitStatus> {
    let state = state.wait_for(|state| *state != ExitState::Running).await;
    match state.as_deref() {
        Ok(ExitState::Exited(status)) => *status,
        Ok(ExitState::Running) | Err(_) => None,
    }
}
