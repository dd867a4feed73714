use std::{error::Error, fmt, path::PathBuf};

use super::InstallError;

/// The real CLI is not available; the message says why and what to do.
#[derive(Debug)]
pub struct RealCliUnavailable {
    version: &'static str,
    override_variable: &'static str,
    reason: Reason,
}

#[derive(Debug)]
pub(super) enum Reason {
    OverrideMissing(PathBuf),
    Install(InstallError),
}

impl RealCliUnavailable {
    pub(super) fn new(
        version: &'static str,
        override_variable: &'static str,
        reason: Reason,
    ) -> Self {
        Self {
            version,
            override_variable,
            reason,
        }
    }

    /// Returns the version of the missing CLI.
    #[must_use]
    pub fn version(&self) -> &str {
        self.version
    }
}

impl fmt::Display for RealCliUnavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            version,
            override_variable: variable,
            reason,
        } = self;
        write!(f, "the real CLI {version} is not available: ")?;
        match reason {
            Reason::OverrideMissing(path) => write!(
                f,
                "{variable} is set to {}, which is not a file; correct or unset it",
                path.display()
            ),
            Reason::Install(error) => write!(
                f,
                "{error}; or set {variable} to a binary, which needs neither npm nor a network"
            ),
        }
    }
}

impl Error for RealCliUnavailable {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.reason {
            Reason::OverrideMissing(_) => None,
            Reason::Install(error) => error.source(),
        }
    }
}

impl From<InstallError> for Reason {
    fn from(error: InstallError) -> Self {
        Self::Install(error)
    }
}
