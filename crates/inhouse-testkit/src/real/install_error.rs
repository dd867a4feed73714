use std::{error::Error, fmt, io, path::PathBuf};

use crate::npm::NpmError;

/// The CLI cannot be installed; the message says why and what to do.
#[derive(Debug)]
#[non_exhaustive]
pub enum InstallError {
    /// npm has no package of the CLI for this platform.
    NoPackage,
    /// No environment variable names a directory for the cache.
    NoCache,
    /// The package contains no CLI.
    NotInPackage {
        /// The package with its version.
        package: String,
    },
    /// The package cannot be downloaded.
    Npm(NpmError),
    /// A file or a directory cannot be used.
    Io {
        /// The operation, such as `creating`.
        doing: &'static str,
        /// The path.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl fmt::Display for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPackage => f.write_str("npm has no package of the CLI for this platform"),
            Self::NoCache => f.write_str(
                "there is no directory to install it in; set INHOUSE_TESTKIT_CACHE or HOME",
            ),
            Self::NotInPackage { package } => {
                write!(f, "the package {package} does not contain a CLI")
            }
            Self::Npm(error) => error.fmt(f),
            Self::Io { doing, path, .. } => write!(f, "{doing} {} failed", path.display()),
        }
    }
}

impl Error for InstallError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Npm(error) => error.source(),
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<NpmError> for InstallError {
    fn from(error: NpmError) -> Self {
        Self::Npm(error)
    }
}
