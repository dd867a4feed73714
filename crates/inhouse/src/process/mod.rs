//! The CLI as a child process.
//!
//! A CLI leads its own process group, and whatever ends the CLI ends the whole group, so that the
//! shells and servers that it has started end with it:
//!
//! - `close`: an interrupt if a turn runs, the end of stdin, then TERM and KILL after the waits of
//!   [`ShutdownTiming`]. A session that is dropped while it works is killed at once.
//! - The exit of the CLI: the rest of the group is killed before the CLI is reaped.
//! - The drop of the transport's [`Peer`](crate::transport::Peer), also while the runtime shuts down.
//! - The death of the host, from whatever cause (Unix): a small watchdog process sees the end of a
//!   pipe that only the host holds, and kills the group at once, before the CLI can send another
//!   request to the model. With a session store that has leases, the same process kills the group when the lease has run out
//!   while the host is stopped.
//!
//! The CLI runs the commands of its Bash tool in separate process groups, and ends them itself on
//! TERM. On Linux, a kill finds such descendants first and kills them too. Not reached are processes
//! whose parent exited before them, such as the Bash commands of a CLI that another program has
//! killed; and, on other systems, the Bash commands of a CLI that had to be killed.
//!
//! Linux is tested; macOS is not tested yet. On Windows there are no groups and no watchdog: only the
//! CLI itself is killed, and a CLI that outlives its host sees only the end of its stdin.

#[cfg(target_os = "linux")]
mod descendants;
mod exit;
#[cfg(unix)]
mod group;
#[cfg(not(unix))]
#[path = "windows.rs"]
mod group;
mod redact;
mod shutdown_timing;
mod spawn;
mod spawn_error;
mod stderr;
mod tail;
#[cfg(unix)]
mod watchdog;

pub use self::exit::ExitStatus;
pub(crate) use self::redact::redact;
pub use self::shutdown_timing::ShutdownTiming;
pub(crate) use self::spawn::{Spawned, spawn};
pub(crate) use self::stderr::{CUT_MARK, StderrCallback};
