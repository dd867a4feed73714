//! The shared parts of the benchmark programs, which `cargo xtask bench` builds and runs.
//!
//! - `bench-cli` is the load generator. A host starts it in place of `claude`, and it measures the host.
//! - `bench-floor` and `bench-host` are hosts: a lower bound, and this library. The hosts of the official SDKs are the scripts
//!   in `hosts/`.
//! - `bench-in-process` runs the library without a CLI process, for time, instructions and allocations of one operation.
//! - `bench-scale` runs many sessions in one process.
//! - `bench-fleet` measures a fleet on PostgreSQL: turns, idle sessions, claims, and a simulation of many sessions.
//! - `bench-sessions` measures the session functions on disk, the mirror of a session and its resume from a store.
//!
//! Hosts and generator are configured by the variables in [`environment`] and write one [`report`] each.

pub mod clock;
pub mod environment;
pub mod fleet;
pub mod generator;
pub mod in_memory;
pub mod proc;
pub mod recording;
pub mod report;
pub mod servers;
pub mod sessions;
