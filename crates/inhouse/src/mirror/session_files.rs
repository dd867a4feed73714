use std::collections::HashMap;
use std::fs;
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
        let sessions = names_in(&projects).into_iter().flat_map(|project| {
            // A session has a transcript, a directory, or both.
            let path = projects.join(&project);
            let mut names = names_in(&path);
            for name in &mut names {
                *name = name.strip_suffix(".jsonl").unwrap_or(name).to_owned();
            }
            names.sort();
            names.dedup();
            names.into_iter().filter_map(move |name| {
                let session = SessionKey::new(&*project, &*name).ok()?;
                Some((session, path.join(name)))
            })
        });
        sessions
            .flat_map(|(session, directory)| files_of(&session, &directory))
            .collect()
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
    let mut files = files_in(session, TOOL_RESULTS, &directory.join(TOOL_RESULTS));
    // `<config>/projects/<project>/<session>`
    if let Some(config) = directory.ancestors().nth(3) {
        let history = config.join(FILE_HISTORY).join(session.session());
        files.extend(files_in(session, FILE_HISTORY, &history));
    }
    files
}

fn files_in(session: &SessionKey, kind: &str, directory: &Path) -> Vec<ChangedFile> {
    let Ok(listing) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let files = listing.filter_map(|file| {
        let file = file.ok()?;
        let metadata = file.metadata().ok().filter(fs::Metadata::is_file)?;
        let name = file.file_name().into_string().ok()?;
        Some(ChangedFile {
            session: session.clone(),
            path: FilePath::new(format!("{kind}/{name}")).ok()?,
            file: file.path(),
            version: Version {
                length: metadata.len(),
                modified: metadata.modified().ok(),
            },
        })
    });
    files.collect()
}
