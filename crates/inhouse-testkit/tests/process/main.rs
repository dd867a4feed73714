//! Real child processes: no fault of a CLI hangs the host, and nothing of it is left behind.
#![cfg(unix)]

mod closing;
mod dying;
mod flooding;
mod harness;
mod launching;
mod starting;
mod stubborn;
mod talking;
