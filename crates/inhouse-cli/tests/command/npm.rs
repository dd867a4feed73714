//! A planted npm client: a script that serves packages from a directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha512};
use tempfile::TempDir;

use super::write_program;

/// Directories with an `npm` in front of the search path, and with the packages that it serves.
pub(crate) struct PlantedNpm {
    root: TempDir,
}

impl PlantedNpm {
    /// Creates an npm that knows no package.
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let npm = Self { root };
        for directory in ["bin", "registry", "work"] {
            fs::create_dir(npm.path(directory)).unwrap();
        }
        // The last argument of `pack` is the package; `view` has the field behind it.
        npm.acts(
            r#"package=$(echo "$3" | tr '/@' '__')
case $1 in
  pack) cp "$registry/$package.tgz" . 2>/dev/null || missing ;;
  view) cat "$registry/$package.$4" 2>/dev/null || missing ;;
esac"#,
        );
        npm
    }

    /// Replaces what npm does.
    pub(crate) fn acts(&self, action: &str) {
        let script = format!(
            "#!/bin/sh\nregistry='{}'\nmissing() {{ echo 'npm error code E404' >&2; exit 1; }}\n{action}\n",
            self.path("registry").display()
        );
        write_program(&self.path("bin/npm"), &script);
    }

    /// Publishes a package with these files; its hash is that of the archive.
    pub(crate) fn publish(&self, package: &str, version: &str, files: &[(&str, &str)]) {
        let work = tempfile::tempdir_in(self.path("work")).unwrap();
        let directory = work.path().join("package");
        fs::create_dir(&directory).unwrap();
        for (name, text) in files {
            fs::write(directory.join(name), text).unwrap();
        }
        let name = format!("{package}@{version}").replace(['/', '@'], "_");
        let archive = self.registry(&format!("{name}.tgz"));
        let packed = Command::new("tar")
            .arg("-czf")
            .arg(&archive)
            .args(["-C", work.path().to_str().unwrap(), "package"])
            .status()
            .unwrap();
        assert!(packed.success());
        fs::write(
            self.registry(&format!("{name}.dist.integrity")),
            sri(&archive),
        )
        .unwrap();
        let newest = format!("{}.version", package.replace(['/', '@'], "_"));
        fs::write(self.registry(&newest), version).unwrap();
    }

    /// Changes the hash that the registry names for a package.
    pub(crate) fn claim_hash(&self, package: &str, version: &str, integrity: &str) {
        let name = format!("{package}@{version}").replace(['/', '@'], "_");
        fs::write(self.registry(&format!("{name}.dist.integrity")), integrity).unwrap();
    }

    /// Removes npm from the search path.
    pub(crate) fn uninstall(&self) {
        fs::remove_file(self.path("bin/npm")).unwrap();
    }

    /// Runs `inhouse` with this npm, in an environment without any other.
    pub(crate) fn inhouse(&self, arguments: &[&str]) -> Output {
        // Only the programs that the command and the script need: the machine may have an npm beside them.
        for program in ["cat", "cp", "gzip", "sh", "tar", "tr"] {
            let link = self.path("bin").join(program);
            if !link.exists() {
                std::os::unix::fs::symlink(find(program), link).unwrap();
            }
        }
        Command::new(env!("CARGO_BIN_EXE_inhouse"))
            .args(arguments)
            .current_dir(self.root())
            .env_clear()
            .env("PATH", self.path("bin"))
            .env("HOME", self.root())
            .output()
            .unwrap()
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn registry(&self, name: &str) -> PathBuf {
        self.path("registry").join(name)
    }
}

/// Returns the SHA-512 hash of a file in the form of npm.
fn sri(path: &Path) -> String {
    let hash = Sha512::digest(fs::read(path).unwrap());
    format!("sha512-{}", STANDARD.encode(hash))
}

fn find(program: &str) -> PathBuf {
    let directories = ["/usr/bin", "/bin", "/usr/local/bin"];
    let candidates = directories.map(|directory| Path::new(directory).join(program));
    let found = candidates.into_iter().find(|path| path.exists());
    found.unwrap_or_else(|| panic!("{program} is not installed"))
}
