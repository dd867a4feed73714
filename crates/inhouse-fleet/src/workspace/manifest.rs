use std::collections::BTreeMap;

use inhouse_store::{Bytes, FilePath};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::WorkspaceError;

/// The name of the file with the manifest.
const MANIFEST: &str = "manifest.json";

/// The files of a workspace in its store. A file that is not listed here does not exist.
///
/// Each file has two slots, of which the manifest names the one in effect. A save writes changed files to their other slots, and then the
/// manifest: so a save that is cut off changes nothing, and old contents need not be removed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// The files, by their paths with `/` below the directory of the session.
    pub(super) files: BTreeMap<String, StoredFile>,
}

/// A file of a manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct StoredFile {
    /// The slot in effect.
    pub(super) slot: Slot,
    /// The SHA-256 of the content, in hexadecimal.
    pub(super) sha256: String,
    /// The number of bytes.
    #[serde(default)]
    pub(super) length: u64,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) executable: bool,
}

/// One of the two places of a file in the store.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Slot {
    A,
    B,
}

impl Manifest {
    pub(super) fn path() -> FilePath {
        FilePath::new(MANIFEST).expect("the name is safe")
    }

    pub(super) fn read(content: &[u8]) -> Result<Self, WorkspaceError> {
        serde_json::from_slice(content).map_err(|error| {
            WorkspaceError::new("the manifest of the workspace cannot be read").with_source(error)
        })
    }

    pub(super) fn to_bytes(&self) -> Bytes {
        serde_json::to_vec(self)
            .expect("strings and numbers can be serialized")
            .into()
    }

    /// Returns whether a file is below this path, so that it has to be a directory.
    pub(super) fn has_below(&self, directory: &str) -> bool {
        let prefix = format!("{directory}/");
        let mut after = self.files.range(prefix.clone()..);
        after
            .next()
            .is_some_and(|(path, _)| path.starts_with(&prefix))
    }
}

impl Slot {
    /// Returns the slot that a new content of a file is written to.
    pub(super) fn after(stored: Option<&StoredFile>) -> Self {
        match stored.map(|stored| stored.slot) {
            Some(Self::A) => Self::B,
            Some(Self::B) | None => Self::A,
        }
    }

    /// Returns where the store has the content of a file.
    ///
    /// The name is a hash, because stores accept fewer names than file systems.
    pub(super) fn path_of(self, file: &str) -> FilePath {
        let slot = match self {
            Self::A => "a",
            Self::B => "b",
        };
        FilePath::new(format!("{slot}/{}", sha256(file.as_bytes()))).expect("the name is safe")
    }
}

/// Returns the SHA-256 of a content in hexadecimal.
pub(super) fn sha256(content: &[u8]) -> String {
    let hash = Sha256::digest(content);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directory_of_a_file_is_found_among_similar_names() {
        let file = StoredFile {
            slot: Slot::A,
            sha256: sha256(b""),
            length: 0,
            executable: false,
        };
        let names = ["src-old", "src/lib.rs", "srcs/a"];
        let files = names.map(|name| (name.to_owned(), file.clone()));
        let manifest = Manifest {
            files: files.into(),
        };
        assert!(manifest.has_below("src"));
        assert!(manifest.has_below("srcs"));
        assert!(!manifest.has_below("sr"));
        assert!(!manifest.has_below("src-old"));
    }

    #[test]
    fn hash_is_that_of_the_standard() {
        assert_eq!(
            sha256(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
