use std::{error::Error, fmt, io, path::PathBuf};

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
    NoPackage,
    NoCache,
    CommandMissing {
        command: &'static str,
        source: io::Error,
    },
    CommandFailed {
        command: &'static str,
        status: String,
        stderr: String,
    },
    NotInPackage {
        package: String,
    },
    Io {
        doing: &'static str,
        path: PathBuf,
        source: io::Error,
    },
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
            Reason::NoPackage => write!(
                f,
                "npm has no package for this platform; set {variable} to a binary that runs here"
            ),
            Reason::NoCache => write!(
                f,
                "there is no directory to install it in; set INHOUSE_TESTKIT_CACHE or HOME, or {variable} to a binary"
            ),
            Reason::CommandMissing { command, .. } => write!(
                f,
                "`{command}` is needed to install it and could not be started; install {command}, or set {variable} to a binary"
            ),
            Reason::CommandFailed {
                command,
                status,
                stderr,
            } => write!(
                f,
                "`{command}` failed ({status}); without a network, set {variable} to a binary; stderr: {stderr}"
            ),
            Reason::NotInPackage { package } => {
                write!(f, "the package {package} does not contain a CLI")
            }
            Reason::Io { doing, path, .. } => write!(f, "{doing} {} failed", path.display()),
        }
    }
}

impl Error for RealCliUnavailable {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.reason {
            Reason::CommandMissing { source, .. } | Reason::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
