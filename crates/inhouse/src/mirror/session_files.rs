use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bytes::Bytes;
use inhouse_store::{FilePath, SessionKey};

/// The directory of a session whose files its transcript refers to: results that are too long for an entry.
pub(super) const TOOL_RESULTS: &str = "tool-results";

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
    /// Reads the file; `None` if it is gone.
    pub(super) async fn read(&self) -> Option<Bytes> {
        match tokio::fs::read(&self.file).await {
            Ok(content) => Some(content.into()),
            Err(error) => {
                tracing::warn!(path = %self.path, %error, "file of the session cannot be read");
                None
            }
        }
    }
}

/// Lists the files of all sessions below a configuration directory.
pub(super) async fn files_below(config: &Path) -> Vec<ChangedFile> {
    let projects = config.join("projects");
    let found = tokio::task::spawn_blocking(move || {
        let sessions = directories_in(&projects)
            .into_iter()
            .flat_map(|(project, path)| {
                let sessions = directories_in(&path).into_iter();
                sessions.filter_map(move |(session, path)| {
                    Some((SessionKey::new(&*project, session).ok()?, path))
                })
            });
        sessions
            .flat_map(|(session, directory)| files_of(&session, &directory))
            .collect()
    });
    found.await.unwrap_or_default()
}

fn directories_in(path: &Path) -> Vec<(String, PathBuf)> {
    let Ok(listing) = fs::read_dir(path) else {
        return Vec::new();
    };
    let directories = listing.filter_map(|entry| {
        let entry = entry.ok()?;
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        is_directory.then_some(())?;
        Some((entry.file_name().into_string().ok()?, entry.path()))
    });
    directories.collect()
}

/// Lists the files of a session. There are none if the CLI runs on another machine.
fn files_of(session: &SessionKey, directory: &Path) -> Vec<ChangedFile> {
    let Ok(listing) = fs::read_dir(directory.join(TOOL_RESULTS)) else {
        return Vec::new();
    };
    let files = listing.filter_map(|file| {
        let file = file.ok()?;
        let metadata = file.metadata().ok().filter(fs::Metadata::is_file)?;
        let name = file.file_name().into_string().ok()?;
        Some(ChangedFile {
            session: session.clone(),
            path: FilePath::new(format!("{TOOL_RESULTS}/{name}")).ok()?,
            file: file.path(),
            version: Version {
                length: metadata.len(),
                modified: metadata.modified().ok(),
            },
        })
    });
    files.collect()
}
