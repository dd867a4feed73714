//! What the binaries of the benchmark share; `cargo xtask bench` builds and runs them.
//!
//! - `bench-cli` is the load generator. It plays the CLI: a host starts it as it would start `claude`, and it measures the host.
//! - `bench-floor` and `bench-host` are hosts: the least that a host can do, and this library. Those of the official SDKs are
//!   the scripts in `hosts/`.
//! - `bench-in-process` drives the library without any process, for time, instructions and allocations of one operation.
//! - `bench-scale` holds many servers and many sessions in one process.
//!
//! Hosts and generator talk to `cargo xtask bench` through the variables in [`environment`] and one [`report`] each.

pub mod clock;
pub mod environment;
pub mod generator;
pub mod in_memory;
pub mod proc;
pub mod report;
pub mod servers;
