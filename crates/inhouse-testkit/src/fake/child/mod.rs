//! The program `fake-cli`: a fake CLI as a real process.

mod record;
#[cfg(unix)]
mod unix;

use inhouse::ExitStatus;

pub use self::record::LaunchRecord;
use super::Script;

/// Runs the program `fake-cli`: plays the script that [`Script::VARIABLE`](super::Script::VARIABLE) names,
/// and exits as the script says.
///
/// Unix only, because its main purpose is to test signals and pipes; elsewhere it fails.
pub fn child_main() -> std::process::ExitCode {
    #[cfg(unix)]
    return unix::main();
    #[cfg(not(unix))]
    std::process::ExitCode::FAILURE
}

/// Ends this process with a status; with a signal on Unix only.
#[doc(hidden)]
pub fn end_process(status: ExitStatus) -> ! {
    #[cfg(unix)]
    unix::raise(status);
    // Reached with a signal if it does not end a process.
    std::process::exit(status.code().unwrap_or(Script::MISMATCH))
}
