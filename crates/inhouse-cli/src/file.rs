//! Files that contain conversations.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Creates a file that only its owner can read, or empties an existing one and makes it so.
pub(crate) fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    // The mode above is that of a new file. A device such as `/dev/null` keeps its own.
    #[cfg(unix)]
    if file.metadata()?.is_file() {
        let owner_only = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        file.set_permissions(owner_only)?;
    }
    Ok(file)
}

/// Returns whether two paths lead to the same existing file.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn existing_file_becomes_private() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("page.html");
        std::fs::write(&path, "before").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
        let file = private_file(&path).unwrap();
        let metadata = file.metadata().unwrap();
        assert_eq!(
            (metadata.permissions().mode() & 0o777, metadata.len()),
            (0o600, 0)
        );
    }
}
