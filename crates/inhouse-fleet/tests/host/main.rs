//! Turns of a host, with a scripted CLI in memory.

mod failures;
mod leases;
mod questions;
mod stopping;
mod stored_files;
mod support;
mod turns;
mod workspaces;
