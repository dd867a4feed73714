//! The programs of the ring `foreign`: MCP clients and the conformance suite from npm and PyPI, and a browser.
//!
//! `package-lock.json` and `requirements.txt` beside the tests pin every version.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::execute::Environment;
use crate::command::output;
use crate::{page, pinned};

/// The directory of the tests and of the pins.
const TESTS: &str = "crates/inhouse/tests/foreign";
/// The files that define what is installed.
const PINS: [&str; 3] = ["package.json", "package-lock.json", "requirements.txt"];

/// The browsers that tests of the pages can use, in the order of preference.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Returns the variable with a directory of `node_modules` and `venv`, installed in a cache on first use.
///
/// `INHOUSE_FOREIGN` overrides the directory.
///
/// # Errors
/// Returns an error if the programs cannot be installed.
pub(crate) fn provide(root: &Path) -> Result<Environment> {
    let directory = match std::env::var_os("INHOUSE_FOREIGN") {
        Some(directory) => directory.into(),
        None => pinned::installed("foreign", &root.join(TESTS), &PINS, install)?,
    };
    Ok(vec![("INHOUSE_FOREIGN", directory.into())])
}

/// Returns the variables with a browser and with the directory of its driver's `node_modules`.
///
/// `INHOUSE_CHROMIUM` overrides the browser.
///
/// # Errors
/// Returns an error if there is no browser, or the packages cannot be installed.
pub(crate) fn provide_browser(root: &Path) -> Result<Environment> {
    let browser = match std::env::var_os("INHOUSE_CHROMIUM") {
        Some(browser) => browser.into(),
        None => find_browser().context("Chromium is not installed: apt-get install chromium")?,
    };
    let packages = page::packages(root)?;
    Ok(vec![
        ("INHOUSE_CHROMIUM", browser.into()),
        ("INHOUSE_TRACE_PAGE", packages.into()),
    ])
}

fn find_browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut candidates = BROWSERS.iter().flat_map(|name| {
        directories
            .iter()
            .map(move |directory| directory.join(name))
    });
    candidates.find(|candidate| candidate.is_file())
}

fn install(directory: &Path) -> Result<()> {
    let run = |mut command: Command, arguments: &[&str]| {
        output(command.args(arguments).current_dir(directory)).map(drop)
    };
    run(Command::new("npm"), &["ci", "--no-audit", "--no-fund"])?;
    run(Command::new("python3"), &["-m", "venv", "venv"])?;
    let pip = Command::new(directory.join("venv/bin/python"));
    run(
        pip,
        &["-m", "pip", "install", "--quiet", "-r", "requirements.txt"],
    )
}
