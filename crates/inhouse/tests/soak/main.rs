//! Repeated runs against the real CLI, for races that one run rarely shows.
//!
//! Each test repeats its scenario [`support::runs`] times and prints one report line.
//! `cargo xtask soak --runs N` collects these lines; `cargo xtask test` runs each scenario once.

// These two read `/proc`.
#[cfg(target_os = "linux")]
mod dropped_client;
mod hot_tools;
#[cfg(target_os = "linux")]
mod killed_host;
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "some helpers serve the tests that read `/proc`")
)]
mod support;
