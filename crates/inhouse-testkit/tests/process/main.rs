//! Real child processes: no fault of a CLI blocks the host, and no process remains.
#![cfg(unix)]

mod closing;
mod conversation;
mod crashes;
mod floods;
#[cfg(target_os = "linux")]
mod hosts;
mod launch;
mod missing_cli;
mod new_crate;
mod recording;
mod shutdown;
mod startup;
mod support;
