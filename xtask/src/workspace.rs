//! The files of the workspace, as the checks see them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The workspace on disk.
pub(crate) struct Workspace {
    root: PathBuf,
}

/// A text file of the workspace.
pub(crate) struct TextFile {
    /// Relative to the root, with forward slashes.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Workspace {
    /// The workspace that this very binary was built from.
    pub(crate) fn locate() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .expect("xtask lies one level below the root of the workspace");
        Self {
            root: root.to_owned(),
        }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn read(&self, path: &str) -> Result<String, String> {
        std::fs::read_to_string(self.root.join(path)).map_err(|cause| format!("{path}: {cause}"))
    }

    /// Every text file that is tracked by git or would be after `git add`; binary files are left out.
    pub(crate) fn text_files(&self) -> Result<Vec<TextFile>, String> {
        let listing = Command::new("git")
            .args([
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ])
            .current_dir(&self.root)
            .output()
            .map_err(|cause| format!("git ls-files: {cause}"))?;
        if !listing.status.success() {
            return Err(format!(
                "git ls-files: {}",
                String::from_utf8_lossy(&listing.stderr).trim()
            ));
        }
        let listing = String::from_utf8_lossy(&listing.stdout).into_owned();
        let mut paths: Vec<&str> = listing.split_terminator('\0').collect();
        paths.sort_unstable();
        paths.dedup();
        Ok(paths
            .into_iter()
            .filter_map(|path| self.text_file(path))
            .collect())
    }

    // A tracked file may be gone from the working tree, and a file that is not UTF-8 is not text.
    fn text_file(&self, path: &str) -> Option<TextFile> {
        let text = std::fs::read_to_string(self.root.join(path)).ok()?;
        Some(TextFile {
            path: path.to_owned(),
            text,
        })
    }
}

impl TextFile {
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether the whole file is test code: an integration test, or a module of tests in a file of its own.
    pub(crate) fn is_test(&self) -> bool {
        let in_directory = self.path.split('/').any(|part| part == "tests");
        in_directory || self.path.ends_with("/tests.rs") || self.path.ends_with("_tests.rs")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> TextFile {
        TextFile {
            path: path.to_owned(),
            text: String::new(),
        }
    }

    #[test]
    fn tests_are_known_by_their_path() {
        for path in [
            "crates/a/tests/real/main.rs",
            "crates/a/src/b/tests.rs",
            "crates/a/src/b_tests.rs",
        ] {
            assert!(file(path).is_test(), "{path}");
        }
        for path in [
            "crates/a/src/b.rs",
            "crates/testkit/src/lib.rs",
            "crates/a/src/contests.rs",
        ] {
            assert!(!file(path).is_test(), "{path}");
        }
    }

    #[test]
    fn this_file_is_in_the_workspace() {
        let files = Workspace::locate().text_files().unwrap();
        assert!(
            files
                .iter()
                .any(|file| file.path == "xtask/src/workspace.rs" && file.is_rust())
        );
    }
}
