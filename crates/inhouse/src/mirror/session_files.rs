use std::collections::HashMap;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bytes::Bytes;
use inhouse_store::{FilePath, SessionKey};

/// The directory of a session whose files its transcript refers to: results that are too long for an entry.
pub(super) const TOOL_RESULTS: &str = "tool-results";

/// The directory of the configuration directory with backups of files that tools have changed, one directory for each session. The
/// transcript names the backups. The CLI writes them with `Options::file_checkpointing`.
pub(crate) const FILE_HISTORY: &str = "file-history";

/// The files of the mirrored sessions, and which of them are stored.
///
/// The CLI does not mirror these files (2.1.325). Without them a session that is resumed on another machine refers to files
/// that do not exist there.
#[derive(Default)]
pub(super) struct SessionFiles {
    directories: HashMap<SessionKey, PathBuf>,
    stored: HashMap<PathBuf, Version>,
}

/// A file that is not stored in its present version.
pub(super) struct ChangedFile {
    pub(super) session: SessionKey,
    pub(super) path: FilePath,
    file: PathBuf,
    /// The user that the configuration directory belongs to.
    owner: Option<u32>,
    version: Version,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Version {
    length: u64,
    modified: Option<SystemTime>,
}

impl SessionFiles {
    /// Notes where the files of a session are.
    pub(super) fn note(&mut self, session: &SessionKey, directory: PathBuf) {
        if !self.directories.contains_key(session) {
            self.directories.insert(session.clone(), directory);
        }
    }

    /// Notes that the files of a session that are on disk now came from the store.
    pub(super) async fn note_loaded(&mut self, session: &SessionKey, directory: PathBuf) {
        self.note(session, directory);
        for file in self.changed().await {
            self.note_stored(file);
        }
    }

    /// Returns the files that are new or have changed since they were stored.
    pub(super) async fn changed(&self) -> Vec<ChangedFile> {
        let directories = self.directories.clone();
        let found = tokio::task::spawn_blocking(move || {
            directories
                .into_iter()
                .flat_map(|(session, directory)| files_of(&session, &directory))
                .collect::<Vec<_>>()
        });
        let mut found = found.await.unwrap_or_default();
        found.retain(|file| self.stored.get(&file.file) != Some(&file.version));
        found
    }

    pub(super) fn note_stored(&mut self, file: ChangedFile) {
        self.stored.insert(file.file, file.version);
    }
}

impl ChangedFile {
    /// Reads the file; `None` if it is gone, or is not a file of the user that the CLI runs as.
    pub(super) async fn read(&self) -> Option<Bytes> {
        let (path, owner) = (self.file.clone(), self.owner);
        let read = tokio::task::spawn_blocking(move || read_owned(&path, owner));
        match read.await.unwrap_or_else(|error| Err(error.into())) {
            Ok(content) => Some(content.into()),
            Err(error) => {
                tracing::warn!(path = %self.path, %error, "file of the session cannot be read");
                None
            }
        }
    }
}

/// Reads a file that belongs to a user.
///
/// The CLI may run as another user than this process. A link in its directory must not make this process read a file that the
/// CLI cannot read, and store it for the CLI.
fn read_owned(path: &Path, owner: Option<u32>) -> io::Result<Vec<u8>> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    let mut file = options.open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || owner_of(&metadata) != owner {
        return Err(io::Error::other("the file belongs to another user"));
    }
    let mut content = Vec::new();
    file.read_to_end(&mut content)?;
    Ok(content)
}

/// Returns the user that a file belongs to; `None` where there are no users.
fn owner_of(metadata: &fs::Metadata) -> Option<u32> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        Some(metadata.uid())
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        None
    }
}

/// Lists the files of these sessions below a configuration directory, in the same order each time.
pub(super) async fn files_below(config: &Path, sessions: &[SessionKey]) -> Vec<ChangedFile> {
    let (projects, sessions) = (config.join("projects"), sessions.to_vec());
    let found = tokio::task::spawn_blocking(move || {
        let mut files: Vec<ChangedFile> = Vec::new();
        for project in names_in(&projects) {
            for session in &sessions {
                let directory = projects.join(&project).join(session.session());
                files.extend(files_of(session, &directory));
            }
        }
        let place = |file: &ChangedFile| (file.session.to_string(), file.path.to_string());
        files.sort_by_key(place);
        files.dedup_by_key(|file| place(file));
        files
    });
    found.await.unwrap_or_default()
}

fn names_in(path: &Path) -> Vec<String> {
    let listing = fs::read_dir(path).into_iter().flatten().flatten();
    let names = listing.filter_map(|entry| entry.file_name().into_string().ok());
    names.collect()
}

/// Lists the files of a session; `directory` is the one beside its transcript. There are none if the CLI runs on another machine.
fn files_of(session: &SessionKey, directory: &Path) -> Vec<ChangedFile> {
    // `<config>/projects/<project>/<session>`
    let Some(config) = directory.ancestors().nth(3) else {
        return Vec::new();
    };
    let owner = fs::metadata(config).ok().as_ref().and_then(owner_of);
    let history = config.join(FILE_HISTORY).join(session.session());
    let mut files = files_in(session, TOOL_RESULTS, &directory.join(TOOL_RESULTS), owner);
    files.extend(files_in(session, FILE_HISTORY, &history, owner));
    files
}

fn files_in(
    session: &SessionKey,
    kind: &str,
    directory: &Path,
    owner: Option<u32>,
) -> Vec<ChangedFile> {
    let Ok(listing) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let files = listing.filter_map(|file| {
        let file = file.ok()?;
        let metadata = file.metadata().ok().filter(fs::Metadata::is_file)?;
        let name = file.file_name().into_string().unwrap_or_default();
        let path = FilePath::new(format!("{kind}/{name}"));
        let path = path.map_err(|error| tracing::warn!(%error, "file of the session not stored"));
        Some(ChangedFile {
            session: session.clone(),
            path: path.ok()?,
            file: file.path(),
            owner,
            version: Version {
                length: metadata.len(),
                modified: metadata.modified().ok(),
            },
        })
    });
    files.collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn links_and_files_of_other_users_are_not_read() {
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("file"), directory.path().join("link"));
        fs::write(&file, "content").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let owner = owner_of(&fs::metadata(&file).unwrap());
        assert_eq!(read_owned(&file, owner).unwrap(), b"content");
        assert!(read_owned(&link, owner).is_err());
        let another = owner.map(|owner| owner + 1);
        assert!(read_owned(&file, another).is_err());
    }
}
