//! Repeated runs against the real CLI, for races that one run rarely shows.
//!
//! Each test repeats its scenario [`support::runs`] times and prints one report line.
//! `cargo xtask soak --runs N` collects these lines; `cargo xtask test` runs each scenario once.

#![cfg(target_os = "linux")]

mod dropped_client;
mod hot_tools;
mod killed_host;
mod support;
