//! Programs from package registries, whose versions are pinned in files, installed once in a cache.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Returns the cache that the test kit uses as well.
pub(crate) fn cache() -> Result<PathBuf> {
    let variable = |name: &str| {
        let value = std::env::var_os(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    };
    variable("INHOUSE_TESTKIT_CACHE")
        .or_else(|| Some(variable("XDG_CACHE_HOME")?.join("inhouse-testkit")))
        .or_else(|| Some(variable("HOME")?.join(".cache/inhouse-testkit")))
        .context("there is no cache directory: HOME is not set")
}

/// Returns a directory of the cache with what `install` puts beside copies of the pins; installed on first use.
pub(crate) fn installed(
    name: &str,
    directory_of_pins: &Path,
    pins: &[&str],
    install: impl FnOnce(&Path) -> Result<()>,
) -> Result<PathBuf> {
    let fingerprint = fingerprint(directory_of_pins, pins)?;
    let directory = cache()?.join(format!("{name}-{fingerprint:016x}"));
    if directory.exists() {
        return Ok(directory);
    }
    println!("installing the packages of {name}");
    // Installed into a temporary directory first: the final one is either complete or absent.
    let unfinished = directory.with_extension(std::process::id().to_string());
    let result = copy(directory_of_pins, pins, &unfinished)
        .and_then(|()| install(&unfinished))
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

fn copy(from: &Path, pins: &[&str], to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for pin in pins {
        fs::copy(from.join(pin), to.join(pin)).with_context(|| (*pin).to_owned())?;
    }
    Ok(())
}

/// Returns a number that changes with the pinned versions.
fn fingerprint(directory: &Path, pins: &[&str]) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    for pin in pins {
        let text = fs::read(directory.join(pin)).with_context(|| (*pin).to_owned())?;
        text.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprint_needs_every_pin() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let pins = ["package.json", "package-lock.json"];
        assert!(fingerprint(&root.join("trace-page"), &pins).is_ok());
        assert!(fingerprint(&root, &pins).is_err());
    }
}
