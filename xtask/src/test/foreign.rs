//! The programs of the ring `foreign`: MCP clients and the conformance suite, from npm and PyPI.
//!
//! `package-lock.json` and `requirements.txt` beside the tests pin every version.

use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The directory of the tests and of the pins.
const TESTS: &str = "crates/inhouse/tests/foreign";
/// The files that say what is installed.
const PINS: [&str; 3] = ["package.json", "package-lock.json", "requirements.txt"];

/// Returns a directory with `node_modules` and `venv`, installed in a cache unless it is there.
///
/// `INHOUSE_FOREIGN` names a directory to use instead. The error says why the programs are missing.
pub(crate) fn provide(root: &Path) -> Result<PathBuf, String> {
    if let Some(directory) = std::env::var_os("INHOUSE_FOREIGN") {
        return Ok(directory.into());
    }
    let pins = root.join(TESTS);
    let directory = cache()?.join(format!("foreign-{:016x}", fingerprint(&pins)?));
    if !directory.exists() {
        install(&pins, &directory)?;
    }
    Ok(directory)
}

/// Returns the cache that the test kit uses as well.
fn cache() -> Result<PathBuf, String> {
    let set = |name: &str| {
        let value = std::env::var_os(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    };
    let shared = || {
        set("XDG_CACHE_HOME")
            .or_else(|| set("HOME").map(|home| home.join(".cache")))
            .map(|cache| cache.join("inhouse-testkit"))
    };
    set("INHOUSE_TESTKIT_CACHE")
        .or_else(shared)
        .ok_or_else(|| "there is no cache: HOME is not set".to_owned())
}

/// Returns a number that changes with the pinned versions.
fn fingerprint(pins: &Path) -> Result<u64, String> {
    let mut hasher = DefaultHasher::new();
    for pin in PINS {
        let path = pins.join(pin);
        let text = fs::read(&path).map_err(|cause| format!("{}: {cause}", path.display()))?;
        text.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

/// Installs into a temporary directory first: the final one is either complete or absent.
fn install(pins: &Path, directory: &Path) -> Result<(), String> {
    println!("installing MCP clients and the conformance suite");
    let unfinished = directory.with_extension(std::process::id().to_string());
    let installed = install_into(pins, &unfinished).and_then(|()| {
        let renamed = fs::rename(&unfinished, directory);
        renamed.map_err(|cause| format!("{}: {cause}", directory.display()))
    });
    if installed.is_err() {
        // What is left of it is of no use, and the error says what matters.
        let _ = fs::remove_dir_all(&unfinished);
    }
    // Another run may have installed the same in the meantime.
    installed.or_else(|reason| directory.exists().then_some(()).ok_or(reason))
}

fn install_into(pins: &Path, directory: &Path) -> Result<(), String> {
    let failed = |cause: std::io::Error| format!("{}: {cause}", directory.display());
    fs::create_dir_all(directory).map_err(failed)?;
    for pin in PINS {
        fs::copy(pins.join(pin), directory.join(pin)).map_err(failed)?;
    }
    run(directory, "npm", ["ci", "--no-audit", "--no-fund"])?;
    run(directory, "python3", ["-m", "venv", "venv"])?;
    let arguments = ["-m", "pip", "install", "--quiet", "-r", "requirements.txt"];
    run(directory, directory.join("venv/bin/python"), arguments)
}

fn run<const N: usize>(
    directory: &Path,
    program: impl AsRef<OsStr>,
    arguments: [&str; N],
) -> Result<(), String> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::null());
    let output = command
        .output()
        .map_err(|cause| format!("{command:?}: {cause}"))?;
    if output.status.success() {
        return Ok(());
    }
    let complaints = String::from_utf8_lossy(&output.stderr);
    Err(format!(
        "{command:?}: {}\n{}",
        output.status,
        complaints.trim()
    ))
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

    #[test]
    fn failed_install_says_which_program_failed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let reason = run(root, "there/is/no/such/program", ["--version"]).unwrap_err();
        assert!(reason.contains("such/program"), "{reason}");
    }
}
