//! The files of the workspace.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use cargo_metadata::{MetadataCommand, Package};

use crate::command::output;
use crate::source::Source;

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
    /// Returns the workspace of the manifest that `cargo run` names, or of the one that this binary was built from.
    pub(crate) fn locate() -> Self {
        let manifest = std::env::var("CARGO_MANIFEST_DIR");
        let manifest = manifest.unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned());
        let root = Path::new(&manifest).parent();
        Self {
            root: root
                .expect("xtask is below the root of the workspace")
                .to_owned(),
        }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn read(&self, path: &str) -> Result<String> {
        std::fs::read_to_string(self.root.join(path)).with_context(|| path.to_owned())
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> Result<()> {
        std::fs::write(self.root.join(path), text).with_context(|| path.to_owned())
    }

    /// Returns the packages of the workspace that are published on crates.io.
    pub(crate) fn published_packages(&self) -> Result<Vec<Package>> {
        let mut metadata = MetadataCommand::new();
        let metadata = metadata.current_dir(&self.root).no_deps().exec()?;
        let mut packages = metadata.packages;
        // `publish = false` is an empty list of registries.
        packages.retain(|package| package.publish.as_deref() != Some(&[]));
        Ok(packages)
    }

    /// Returns every text file that git tracks or would track after `git add`, in the order of paths.
    pub(crate) fn text_files(&self) -> Result<Vec<TextFile>> {
        let mut git = Command::new("git");
        git.args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]);
        let listing = output(git.current_dir(&self.root))?;
        let mut paths: Vec<&str> = listing.split_terminator('\0').collect();
        paths.sort_unstable();
        paths.dedup();
        // A tracked file may be missing from the working tree, and binary files are not UTF-8.
        let files = paths.into_iter().filter_map(|path| {
            let text = std::fs::read_to_string(self.root.join(path)).ok()?;
            Some(TextFile {
                path: path.to_owned(),
                text,
            })
        });
        Ok(files.collect())
    }
}

impl TextFile {
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Returns whether the whole file is test code: an integration test, or unit tests in their own file.
    pub(crate) fn is_test(&self) -> bool {
        let in_directory = self.path.split('/').any(|part| part == "tests");
        in_directory || self.path.ends_with("/tests.rs") || self.path.ends_with("_tests.rs")
    }

    pub(crate) fn parse(&self) -> Result<Source> {
        Source::parse(&self.text).with_context(|| self.path.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_files_are_recognized_by_path() {
        let is_test = |path: &str| {
            let (path, text) = (path.to_owned(), String::new());
            TextFile { path, text }.is_test()
        };
        for path in [
            "crates/a/tests/real/main.rs",
            "crates/a/src/b/tests.rs",
            "crates/a/src/b_tests.rs",
        ] {
            assert!(is_test(path), "{path}");
        }
        for path in [
            "crates/a/src/b.rs",
            "crates/testkit/src/lib.rs",
            "crates/a/src/contests.rs",
        ] {
            assert!(!is_test(path), "{path}");
        }
    }

    #[test]
    fn text_files_include_this_file() {
        let files = Workspace::locate().text_files().unwrap();
        let this = files
            .iter()
            .find(|file| file.path == "xtask/src/workspace.rs");
        assert!(this.is_some_and(TextFile::is_rust));
    }
}
