use std::{error::Error, fmt, io, path::PathBuf};

/// A package cannot be downloaded; the message says why and what to do.
#[derive(Debug)]
#[non_exhaustive]
pub enum NpmError {
    /// A program that is needed cannot be started.
    CommandMissing {
        /// The program: `npm` or `tar`.
        command: &'static str,
        /// The error of the system.
        source: io::Error,
    },
    /// The registry does not have the package, or not in this version.
    NoSuchVersion {
        /// The package with its version.
        package: String,
    },
    /// The registry cannot be reached.
    NoNetwork {
        /// The error code of npm, such as `ENOTFOUND`.
        code: String,
    },
    /// A program failed for another reason.
    CommandFailed {
        /// The program: `npm` or `tar`.
        command: &'static str,
        /// The exit status.
        status: String,
        /// What the program wrote to stderr.
        stderr: String,
    },
    /// The downloaded package is not the expected one. It was not unpacked.
    WrongHash {
        /// The package with its version.
        package: String,
        /// The expected hash.
        expected: String,
        /// The hash of the downloaded file.
        found: String,
    },
    /// The output of npm has another form than expected.
    UnexpectedOutput {
        /// The arguments of npm.
        arguments: String,
        /// The output.
        output: String,
    },
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

impl fmt::Display for NpmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CommandMissing { command: "npm", .. } => f.write_str(
                "`npm` could not be started; install Node 18 or newer, which contains npm, and check that it is in PATH",
            ),
            Self::CommandMissing { command, .. } => {
                write!(f, "`{command}` could not be started; install {command}")
            }
            Self::NoSuchVersion { package } => write!(
                f,
                "the registry does not have {package}; if `npm config get registry` is a mirror, it may not have the version yet"
            ),
            Self::NoNetwork { code } => write!(
                f,
                "npm cannot reach its registry ({code}); check the network, the proxy and `npm config get registry`"
            ),
            Self::CommandFailed {
                command,
                status,
                stderr,
            } => write!(f, "`{command}` failed ({status}): {stderr}"),
            Self::WrongHash {
                package,
                expected,
                found,
            } => write!(
                f,
                "{package} has the hash {found} instead of {expected}; it was removed without unpacking it: the download is damaged, \
                 or the registry serves another file; run `npm cache verify` and try again, or use another registry"
            ),
            Self::UnexpectedOutput { arguments, output } => write!(
                f,
                "`npm {arguments}` printed {output:?}, which is not what was asked for; update npm"
            ),
            Self::Io { doing, path, .. } => write!(f, "{doing} {} failed", path.display()),
        }
    }
}

impl Error for NpmError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::CommandMissing { source, .. } | Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
