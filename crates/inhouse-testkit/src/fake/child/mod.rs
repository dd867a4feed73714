//! The program `fake-cli`: a fake CLI as a real process.

mod record;
#[cfg(unix)]
mod unix;

pub use self::record::LaunchRecord;

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
