//! The pages in Chromium: each test runs a scenario of `trace.mjs` or `fleet.mjs`, which drives the browser.
//!
//! `cargo xtask test --ring foreign` names the browser in `INHOUSE_CHROMIUM`, and in `INHOUSE_TRACE_PAGE` the directory of the
//! packages that `trace-page/package.json` pins.

#[cfg(unix)]
#[path = "../common/fleet.rs"]
mod fleet;
#[cfg(unix)]
mod postgres;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a scenario of the trace page, and fails with what it printed.
fn scenario(name: &str) {
    let output = command("trace.mjs", name).output().expect("node starts");
    assert!(
        output.status.success(),
        "{name}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Returns the command that runs a scenario.
fn command(file: &str, name: &str) -> Command {
    let packages = directory("INHOUSE_TRACE_PAGE");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    let mut command = Command::new(packages.join("node_modules/node/bin/node"));
    command.arg(tests.join(file)).arg(name);
    command.env("INHOUSE", env!("CARGO_BIN_EXE_inhouse"));
    command
}

fn directory(variable: &str) -> PathBuf {
    let Some(directory) = std::env::var_os(variable) else {
        panic!("{variable} is not set: run `cargo xtask test --ring foreign`");
    };
    directory.into()
}

#[test]
fn page_shows_totals_lanes_and_rows() {
    scenario("renders");
}

#[test]
fn click_shows_the_lines_of_both_sides() {
    scenario("click");
}

#[test]
fn search_leaves_the_rows_that_match() {
    scenario("search");
}

#[test]
fn keys_move_fold_and_close() {
    scenario("keyboard");
}

#[test]
fn address_names_an_event() {
    scenario("deepLink");
}

#[test]
fn html_in_a_recording_is_text() {
    scenario("htmlInData");
}

#[test]
fn page_of_10_events_is_readable_in_both_themes() {
    scenario("tenEvents");
}

#[test]
fn document_stays_small_with_10_000_events() {
    scenario("tenThousandEvents");
}

#[test]
fn follow_shows_events_when_they_are_written() {
    scenario("follow");
}

#[test]
fn both_themes_have_readable_contrast() {
    scenario("themes");
}

#[test]
fn damaged_recordings_are_explained() {
    scenario("damaged");
}
