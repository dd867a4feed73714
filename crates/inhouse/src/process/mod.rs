//! The CLI as a child process.
//!
//! A CLI leads a process group of its own, and whatever ends it ends the whole group, so that the
//! shells and servers which it has started go with it:
//!
//! - the end of its input, then [`shutdown`]'s grace, TERM and KILL;
//! - its own exit: what is left of the group is killed before the CLI is reaped;
//! - the drop of its peer, also while the runtime is torn down;
//! - the end of the host, however it dies (Unix): a small watchdog process sees the end of a pipe
//!   that only the host holds.
//!
//! A descendant that moves into a group of its own is out of reach of all of these.
//!
//! Linux is tested. macOS has the same code and no test run yet. On Windows there are no groups and
//! no watchdog: only the CLI itself is killed, and a CLI that outlives its host sees no more than
//! the end of its input.

mod exit_status;
#[cfg(unix)]
mod group;
#[cfg(not(unix))]
#[path = "lone.rs"]
mod group;
mod mask;
mod peer;
mod shutdown;
mod spawn;
mod spawn_error;
mod stderr;
mod tail;
#[cfg(unix)]
mod watchdog;

pub use self::exit_status::ExitStatus;
pub use self::shutdown::{ShutdownTiming, shutdown};
pub(crate) use self::spawn::{Spawned, spawn};
pub(crate) use self::stderr::StderrCallback;
