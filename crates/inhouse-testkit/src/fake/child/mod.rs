//! The fake as a process of its own: the program `fake-cli`.

mod record;
#[cfg(unix)]
mod unix;

pub use self::record::LaunchRecord;

/// The whole of the program `fake-cli`: plays the script that
/// [`Script::VARIABLE`](super::Script::VARIABLE) names, and ends as it says.
///
/// Only on Unix, since most of what it is for has to do with signals.
pub fn child_main() -> std::process::ExitCode {
    #[cfg(unix)]
    return unix::main();
    #[cfg(not(unix))]
    std::process::ExitCode::FAILURE
}
