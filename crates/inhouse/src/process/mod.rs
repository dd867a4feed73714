//! The CLI as a child process.
//!
//! A CLI leads a process group of its own, and whatever ends it ends the whole group, so that the
//! shells and servers which it has started go with it:
//!
//! - the close of its session: an interrupt if a turn runs, the end of its input, then TERM and KILL
//!   as [`ShutdownTiming`] has it; a session that is dropped while it works is killed at once;
//! - its own exit: what is left of the group is killed before the CLI is reaped;
//! - the drop of its peer, also while the runtime is torn down;
//! - the end of the host, however it dies (Unix): a small watchdog process sees the end of a pipe
//!   that only the host holds, and kills the group at once, so that the CLI does not ask the model
//!   again.
//!
//! The CLI puts the commands of its Bash tool into groups of their own, and ends them itself when it
//! is asked to end. On Linux a kill looks for such descendants first and takes them along. What
//! stays out of reach: a process whose parent ended before it, so the Bash commands of a CLI that
//! somebody else has killed; and on other systems those of a CLI that had to be killed.
//!
//! Linux is tested. macOS has no test run yet. On Windows there are no groups and
//! no watchdog: only the CLI itself is killed, and a CLI that outlives its host sees no more than
//! the end of its input.

#[cfg(target_os = "linux")]
mod descendants;
mod exit;
mod exit_status;
#[cfg(unix)]
mod group;
#[cfg(not(unix))]
#[path = "lone.rs"]
mod group;
mod mask;
mod peer;
mod shutdown_timing;
mod spawn;
mod spawn_error;
mod stderr;
mod tail;
#[cfg(unix)]
mod watchdog;

pub use self::exit_status::ExitStatus;
pub(crate) use self::mask::mask;
pub use self::shutdown_timing::ShutdownTiming;
pub(crate) use self::spawn::{Spawned, spawn};
pub(crate) use self::stderr::StderrCallback;
