//! Repeated runs against the real CLI, for races that one run rarely shows.
//!
//! Each test repeats its scenario [`support::runs`] times and prints one report line.
//! `cargo xtask soak --runs N` collects these lines; `cargo xtask test` runs each scenario once.

#[allow(dead_code, reason = "not every function has a scenario yet")]
mod support;
