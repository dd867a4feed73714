use std::ffi::OsStr;
use std::io;
use std::path::Path;

use crate::error::{Error, ErrorKind};
use crate::launch::locate::INSTALL_HINT;

/// Returns an error that says why `program` could not be started, and what to do about it.
pub(super) fn spawn_error(program: &OsStr, error: io::Error) -> Error {
    let path = Path::new(program);
    let shown = path.display();
    let (kind, message) = match error.kind() {
        io::ErrorKind::NotFound if is_bare_name(path) => (
            ErrorKind::CliNotFound,
            format!("there is no program `{shown}` on the PATH; {INSTALL_HINT}"),
        ),
        io::ErrorKind::NotFound if !path.exists() => (
            ErrorKind::CliNotFound,
            format!("{shown} does not exist; {INSTALL_HINT}"),
        ),
        // The system reports a missing interpreter or loader like a missing program.
        io::ErrorKind::NotFound => (
            ErrorKind::Spawn,
            format!(
                "{shown} exists but the system could not start it: it was built for another \
                 architecture or C library (glibc or musl), or its interpreter is not installed"
            ),
        ),
        io::ErrorKind::PermissionDenied => (
            ErrorKind::Spawn,
            format!(
                "the system does not permit starting {shown}: the file must be executable and not on \
                 a file system mounted `noexec`, the working directory must be accessible, and only \
                 root may change the user or group"
            ),
        ),
        io::ErrorKind::ArgumentListTooLong => (
            ErrorKind::Spawn,
            format!(
                "{shown} could not be started: its arguments and environment are longer than the \
                 system allows"
            ),
        ),
        _ if error.raw_os_error() == Some(EXEC_FORMAT) => (
            ErrorKind::Spawn,
            format!(
                "{shown} exists but the system could not start it: it is not a program for this \
                 machine (wrong architecture, or a script without a `#!` line)"
            ),
        ),
        _ => (
            ErrorKind::Spawn,
            format!("{shown} could not be started: {error}"),
        ),
    };
    Error::new(kind, message).with_source(error)
}

/// `ENOEXEC` or `ERROR_BAD_EXE_FORMAT`, which have no [`io::ErrorKind`].
const EXEC_FORMAT: i32 = if cfg!(windows) { 193 } else { 8 };

fn is_bare_name(path: &Path) -> bool {
    path.components().count() == 1 && path.is_relative() && !path.starts_with(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_without_an_explanation_is_quoted() {
        let error = io::Error::other("too many open files");
        let error = spawn_error(OsStr::new("/bin/claude"), error);
        assert_eq!(error.kind(), ErrorKind::Spawn);
        let text = error.to_string();
        let expected = "/bin/claude could not be started: too many open files";
        assert!(text.contains(expected), "{text}");
    }
}
