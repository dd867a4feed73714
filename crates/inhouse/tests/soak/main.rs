//! Repeated runs against the real CLI, for races that one run rarely shows.
//!
//! Each test repeats its scenario [`support::runs`] times and prints one report line.
//! `cargo xtask soak --runs N` collects these lines; `cargo xtask test` runs each scenario once.

// `/proc` says whether a process is dead.
#[cfg(target_os = "linux")]
mod dropped_client;
mod hot_tools;
#[cfg(target_os = "linux")]
mod killed_after_finish;
#[cfg(target_os = "linux")]
mod killed_host;
#[cfg(target_os = "linux")]
mod killed_in_call;
#[cfg(target_os = "linux")]
mod postgres;
#[cfg(target_os = "linux")]
mod scene;
#[cfg(target_os = "linux")]
mod slow_store;
#[cfg(target_os = "linux")]
mod sqlite;
#[cfg(target_os = "linux")]
mod store_faults;
#[cfg(target_os = "linux")]
mod stored_host;
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "some helpers serve the tests that need Linux")
)]
mod support;
#[cfg(target_os = "linux")]
mod zombie;
