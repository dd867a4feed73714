//! The directory of a session on this host. All functions block.

use std::fs::{self, File, Metadata};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::WorkspaceError;
use super::manifest::{Manifest, sha256};
use super::stored::Limits;

/// A file below the directory of a session.
#[derive(Clone, Debug)]
pub(super) struct LocalFile {
    /// The path below the directory, with `/`.
    pub(super) path: String,
    pub(super) seen: Seen,
    pub(super) executable: bool,
}

/// The properties of a file by which a change is noticed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Seen {
    pub(super) length: u64,
    pub(super) modified: Option<SystemTime>,
}

/// Lists the files below a directory, which need not exist.
///
/// Links and special files are skipped with a warning: another host could not read what they lead to. So are names that are not UTF-8.
pub(super) fn list(root: &Path, limits: &Limits) -> Result<Vec<LocalFile>, WorkspaceError> {
    let mut files = Vec::new();
    let mut bytes = 0;
    let mut open = vec![(root.to_owned(), String::new())];
    while let Some((directory, prefix)) = open.pop() {
        let listing = match fs::read_dir(&directory) {
            Ok(listing) => listing,
            // Removed by a background task meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failed("read", &directory, error)),
        };
        for entry in listing {
            let entry = entry.map_err(|error| failed("read", &directory, error))?;
            let Ok(name) = entry.file_name().into_string() else {
                tracing::warn!(path = %entry.path().display(), "file is not saved: its name is not UTF-8");
                continue;
            };
            let path = format!("{prefix}{name}");
            // Does not follow links.
            let metadata = match entry.metadata() {
                Ok(metadata) => metadata,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(failed("read", &entry.path(), error)),
            };
            if metadata.is_dir() {
                open.push((entry.path(), format!("{path}/")));
            } else if metadata.is_file() {
                bytes += metadata.len();
                files.push(LocalFile {
                    path,
                    seen: Seen::of(&metadata),
                    executable: is_executable(&metadata),
                });
                limits.check(files.len(), bytes)?;
            } else {
                tracing::warn!(path = %entry.path().display(), "file is not saved: it is a link or a special file");
            }
        }
    }
    Ok(files)
}

/// Makes a directory what the manifest says, apart from the files that have to be fetched, which are returned.
pub(super) fn clean(root: &Path, manifest: &Manifest) -> Result<Vec<String>, WorkspaceError> {
    fs::create_dir_all(root).map_err(|error| failed("created", root, error))?;
    clean_directory(root, "", manifest)?;
    let mut missing = Vec::new();
    for (path, stored) in &manifest.files {
        let local = root.join(path);
        let is_current = match fs::read(&local) {
            Ok(content) => sha256(&content) == stored.sha256,
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(failed("read", &local, error)),
        };
        match is_current {
            true => set_executable(&local, stored.executable)
                .map_err(|error| failed("changed", &local, error))?,
            false => missing.push(path.clone()),
        }
    }
    Ok(missing)
}

/// Removes everything that the manifest does not have, and links in particular: files must not be written through them.
fn clean_directory(
    directory: &Path,
    prefix: &str,
    manifest: &Manifest,
) -> Result<(), WorkspaceError> {
    let listing = fs::read_dir(directory).map_err(|error| failed("read", directory, error))?;
    for entry in listing {
        let entry = entry.map_err(|error| failed("read", directory, error))?;
        let kind = entry
            .file_type()
            .map_err(|error| failed("read", &entry.path(), error))?;
        let path = entry.file_name().into_string().ok();
        let path = path.map(|name| format!("{prefix}{name}"));
        let removed = match path {
            Some(path) if kind.is_dir() && manifest.has_below(&path) => {
                clean_directory(&entry.path(), &format!("{path}/"), manifest)?;
                Ok(())
            }
            Some(path) if kind.is_file() && manifest.files.contains_key(&path) => Ok(()),
            _ if kind.is_dir() => fs::remove_dir_all(entry.path()),
            _ => fs::remove_file(entry.path()),
        };
        removed.map_err(|error| failed("removed", &entry.path(), error))?;
    }
    Ok(())
}

/// Writes a file, in a directory that was [cleaned](clean).
pub(super) fn write(
    root: &Path,
    path: &str,
    content: &[u8],
    executable: bool,
) -> Result<(), WorkspaceError> {
    let path = root.join(path);
    let write = || {
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        let mut file = File::create(&path)?;
        file.write_all(content)?;
        set_executable(&path, executable)
    };
    write().map_err(|error| failed("written", &path, error))
}

/// Reads a file; `None` if it was removed or replaced by something else meanwhile.
pub(super) fn read(root: &Path, path: &str) -> Result<Option<Vec<u8>>, WorkspaceError> {
    let path = root.join(path);
    match fs::symlink_metadata(&path) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed("read", &path, error)),
    }
    match fs::read(&path) {
        Ok(content) => Ok(Some(content)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("read", &path, error)),
    }
}

impl Seen {
    fn of(metadata: &Metadata) -> Self {
        Self {
            length: metadata.len(),
            modified: metadata.modified().ok(),
        }
    }
}

#[cfg(unix)]
fn is_executable(metadata: &Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &Metadata) -> bool {
    false
}

#[cfg(unix)]
fn set_executable(path: &Path, executable: bool) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = fs::metadata(path)?;
    if is_executable(&metadata) == executable {
        return Ok(());
    }
    let mode = metadata.permissions().mode();
    // For those who may read the file, as `chmod +x` does with the usual umask.
    let mode = match executable {
        true => mode | ((mode & 0o444) >> 2),
        false => mode & !0o111,
    };
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_executable(_: &Path, _: bool) -> io::Result<()> {
    Ok(())
}

fn failed(what: &str, path: &Path, error: io::Error) -> WorkspaceError {
    let path: PathBuf = path.to_owned();
    let text = format!("{} of the workspace cannot be {what}", path.display());
    WorkspaceError::new(text).with_source(error)
}
