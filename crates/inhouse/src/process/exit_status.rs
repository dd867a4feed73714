use std::fmt;

/// How a CLI process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExitStatus {
    code: Option<i32>,
    signal: Option<i32>,
}

impl ExitStatus {
    /// A process that ended by itself.
    #[must_use]
    pub const fn with_code(code: i32) -> Self {
        Self {
            code: Some(code),
            signal: None,
        }
    }

    /// A process that was ended by a signal.
    #[must_use]
    pub const fn with_signal(signal: i32) -> Self {
        Self {
            code: None,
            signal: Some(signal),
        }
    }

    /// The exit code; `None` when a signal ended the process.
    #[must_use]
    pub const fn code(self) -> Option<i32> {
        self.code
    }

    /// The number of the signal that ended the process.
    #[must_use]
    pub const fn signal(self) -> Option<i32> {
        self.signal
    }

    /// Whether it ended with code 0.
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
