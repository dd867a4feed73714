//! The programs of the ring `foreign`: MCP clients and the conformance suite, from npm and PyPI.
//!
//! `package-lock.json` and `requirements.txt` beside the tests pin every version.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::execute::Environment;
use crate::command::output;

/// The directory of the tests and of the pins.
const TESTS: &str = "crates/inhouse/tests/foreign";
/// The files that define what is installed.
const PINS: [&str; 3] = ["package.json", "package-lock.json", "requirements.txt"];

/// Returns the variable with a directory of `node_modules` and `venv`, installed in a cache on first use.
///
/// `INHOUSE_FOREIGN` overrides the directory.
///
/// # Errors
/// Returns an error if the programs cannot be installed.
pub(crate) fn provide(root: &Path) -> Result<Environment> {
    let directory = match std::env::var_os("INHOUSE_FOREIGN") {
        Some(directory) => directory.into(),
        None => installed(&root.join(TESTS))?,
    };
    Ok(vec![("INHOUSE_FOREIGN", directory.into())])
}

fn installed(pins: &Path) -> Result<PathBuf> {
    let directory = cache()?.join(format!("foreign-{:016x}", fingerprint(pins)?));
    if directory.exists() {
        return Ok(directory);
    }
    println!("installing MCP clients and the conformance suite");
    // Installed into a temporary directory first: the final one is either complete or absent.
    let unfinished = directory.with_extension(std::process::id().to_string());
    let result = install(pins, &unfinished)
        .and_then(|()| fs::rename(&unfinished, &directory).context("rename"));
    if let Err(error) = result {
        let _ = fs::remove_dir_all(&unfinished);
        // Another run may have installed the same in the meantime.
        if !directory.exists() {
            return Err(error);
        }
    }
    Ok(directory)
}

/// Returns the cache that the test kit uses as well.
pub(super) fn cache() -> Result<PathBuf> {
    let variable = |name: &str| {
        let value = std::env::var_os(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    };
    variable("INHOUSE_TESTKIT_CACHE")
        .or_else(|| Some(variable("XDG_CACHE_HOME")?.join("inhouse-testkit")))
        .or_else(|| Some(variable("HOME")?.join(".cache/inhouse-testkit")))
        .context("there is no cache directory: HOME is not set")
}

/// Returns a number that changes with the pinned versions.
fn fingerprint(pins: &Path) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    for pin in PINS {
        fs::read(pins.join(pin)).context(pin)?.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

fn install(pins: &Path, directory: &Path) -> Result<()> {
    fs::create_dir_all(directory)?;
    for pin in PINS {
        fs::copy(pins.join(pin), directory.join(pin)).context(pin)?;
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprint_needs_every_pin() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        assert!(fingerprint(&root.join(TESTS)).is_ok());
        assert!(fingerprint(&root).is_err());
    }
}
