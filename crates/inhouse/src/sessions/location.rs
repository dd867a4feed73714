//! Where the transcripts are: configuration directory or store, projects, sessions.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{env, path};

use inhouse_proto::session::{SessionId, project_key, project_key_prefix};
use unicode_normalization::UnicodeNormalization;

use super::blocking::{blocking, file_error};
use super::stored::StoredProject;
use super::worktrees::worktrees;
use crate::error::{Error, ErrorKind, Result};
use crate::options::Store;

/// The environment variable that names the project directory; the CLI honours it together with `CLAUDE_CONFIG_DIR`.
pub(crate) const PROJECT_DIR_NAME: &str = "CLAUDE_CODE_PROJECT_DIR_NAME";

/// The configured place of the sessions.
#[derive(Clone, Debug, Default)]
pub(super) struct Location {
    pub(super) config_dir: Option<PathBuf>,
    pub(super) project: Option<PathBuf>,
    /// The store that has the sessions; `None` for the disk.
    pub(super) store: Option<Store>,
}

/// The directories to search for transcripts.
#[derive(Debug)]
pub(super) struct SearchDirectories {
    /// The directory `projects` of the configuration directory.
    pub(super) root: PathBuf,
    /// The project; `None` for all projects.
    pub(super) project: Option<Project>,
    /// The existing directories with transcripts, that of the project first.
    pub(super) dirs: Vec<PathBuf>,
}

#[derive(Debug)]
pub(super) struct Project {
    /// The real path of the project.
    pub(super) path: PathBuf,
    /// The real paths of the other worktrees of its repository.
    pub(super) worktrees: Vec<PathBuf>,
}

/// A transcript that exists.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) id: SessionId,
    pub(super) transcript: PathBuf,
    pub(super) len: u64,
    pub(super) modified: SystemTime,
}

impl Location {
    /// Returns the project in the store; `None` for sessions on disk.
    ///
    /// # Errors
    /// `Store` if the name of the project cannot be the key of one.
    pub(super) fn stored(&self) -> Result<Option<StoredProject>> {
        let Some(Store(store)) = &self.store else {
            return Ok(None);
        };
        let path = real_path(self.project.as_deref().unwrap_or(Path::new(".")));
        // The key under which `Options::store` keeps the sessions: a host always sets `CLAUDE_CONFIG_DIR` of its CLI.
        let named = env::var(PROJECT_DIR_NAME).ok();
        let key = named
            .filter(|name| is_directory_name(name))
            .unwrap_or_else(|| project_key(&path.to_string_lossy()));
        StoredProject::new(store.clone(), key, path).map(Some)
    }

    /// Finds the directories with the sessions, worktrees included.
    pub(super) async fn resolve(&self) -> Result<SearchDirectories> {
        self.resolve_with(true).await
    }

    pub(super) async fn resolve_with(&self, include_worktrees: bool) -> Result<SearchDirectories> {
        let root = self.root()?;
        let key = self.fixed_key();
        let Some(project) = self.project.clone() else {
            return blocking(move || {
                let dirs = project_dirs(&root)?;
                Ok(SearchDirectories {
                    root,
                    project: None,
                    dirs,
                })
            })
            .await;
        };
        let path = real_path(&project);
        let worktrees = match include_worktrees {
            true => worktrees(&path).await,
            false => Vec::new(),
        };
        blocking(move || {
            let own = key.into_iter().map(|key| root.join(key));
            let keyed = dirs_of(&root, &path)?;
            let mut dirs: Vec<PathBuf> = own.chain(keyed).collect();
            for worktree in &worktrees {
                dirs.extend(dirs_of(&root, worktree)?);
            }
            let mut seen = BTreeSet::new();
            dirs.retain(|dir| dir.is_dir() && seen.insert(dir.clone()));
            Ok(SearchDirectories {
                root,
                project: Some(Project { path, worktrees }),
                dirs,
            })
        })
        .await
    }

    /// Returns the directory that the CLI uses for new sessions of the project.
    pub(super) fn import_dir(&self) -> Result<PathBuf> {
        let project = self.project.as_deref().ok_or_else(|| {
            Error::config("no project to import into; set it with `Sessions::project`")
        })?;
        let key = self
            .fixed_key()
            .unwrap_or_else(|| project_key(&path_text(&real_path(project))));
        Ok(self.root()?.join(key))
    }

    fn root(&self) -> Result<PathBuf> {
        let dir = match &self.config_dir {
            Some(dir) => Some(dir.clone()),
            None => env::var_os("CLAUDE_CONFIG_DIR")
                .filter(|dir| !dir.is_empty())
                .map(PathBuf::from)
                .or_else(|| Some(env::home_dir()?.join(".claude"))),
        };
        let dir = dir.ok_or_else(|| {
            Error::config(
                "there is no home directory to find the sessions in; set `CLAUDE_CONFIG_DIR`, or \
                 use `Sessions::config_dir`",
            )
        })?;
        Ok(dir.join("projects"))
    }

    /// Returns the name of the project directory if the environment sets one.
    fn fixed_key(&self) -> Option<String> {
        if self.config_dir.is_some() || env::var_os("CLAUDE_CONFIG_DIR").is_none() {
            return None;
        }
        env::var(PROJECT_DIR_NAME)
            .ok()
            .filter(|name| is_directory_name(name))
    }
}

impl SearchDirectories {
    /// Finds a session: the first in the directories of a project, else the newest.
    ///
    /// # Errors
    /// `SessionNotFound` if there is none; `Store` if a directory cannot be read.
    pub(super) fn find(&self, id: &SessionId) -> Result<Found> {
        let mut found = self.find_all(id)?.into_iter();
        let found = match self.project {
            Some(_) => found.next(),
            None => found.max_by_key(|found| found.modified),
        };
        found.ok_or_else(|| self.not_found(id))
    }

    /// Finds a session in every directory.
    ///
    /// # Errors
    /// `SessionNotFound` if there is none; `Store` if a directory cannot be read.
    pub(super) fn find_all(&self, id: &SessionId) -> Result<Vec<Found>> {
        let mut found = Vec::new();
        for dir in &self.dirs {
            found.extend(find_in(dir, id)?);
        }
        match found.is_empty() {
            true => Err(self.not_found(id)),
            false => Ok(found),
        }
    }

    fn not_found(&self, id: &SessionId) -> Error {
        let place = match &self.project {
            Some(project) => format!(
                "in the project {} ({}); leave out `Sessions::project` to search every project",
                project.path.display(),
                self.root.display()
            ),
            None => format!(
                "in {}; `Sessions::config_dir` sets another configuration directory",
                self.root.display()
            ),
        };
        Error::new(
            ErrorKind::SessionNotFound,
            format!("there is no session {id} {place}"),
        )
    }
}

impl Found {
    /// Returns the directory with the subagents and other files of the session, which may not exist.
    pub(super) fn session_dir(&self) -> PathBuf {
        self.transcript.with_extension("")
    }
}

/// # Errors
/// `Config` if the text is not a session id.
pub(super) fn parse_id(id: &str) -> Result<SessionId> {
    id.parse()
        .map_err(|error| Error::config(format!("{id:?} is not a session id")).with_source(error))
}

/// Returns whether a file is a transcript. Symbolic links are not, because they could point to any file; an empty file
/// is a session that the CLI has not written yet.
pub(super) fn is_transcript(metadata: &Metadata) -> bool {
    metadata.is_file() && metadata.len() > 0
}

/// Returns the modification time; the Unix epoch where the platform has none.
pub(super) fn modified(metadata: &Metadata) -> SystemTime {
    metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Returns the path as text, as the CLI uses it for keys.
pub(super) fn path_text(path: &Path) -> String {
    let text = path.to_string_lossy();
    match cfg!(target_os = "macos") {
        true => text.nfc().collect(),
        false => text.into_owned(),
    }
}

fn find_in(dir: &Path, id: &SessionId) -> Result<Option<Found>> {
    let lower = id.to_lowercase();
    let mut names = vec![id.as_str()];
    names.extend((lower != id.as_str()).then_some(lower.as_str()));
    for name in names {
        let transcript = dir.join(format!("{name}.jsonl"));
        match fs::symlink_metadata(&transcript) {
            Ok(metadata) if is_transcript(&metadata) => {
                return Ok(Some(Found {
                    id: name.parse().unwrap_or_else(|_| id.clone()),
                    len: metadata.len(),
                    modified: modified(&metadata),
                    transcript,
                }));
            }
            Ok(_) => {}
            Err(error) if is_absent(&error) => {}
            Err(error) => return Err(file_error("read", &transcript, error)),
        }
    }
    Ok(None)
}

/// Returns the directories that may hold the sessions of a path.
fn dirs_of(root: &Path, path: &Path) -> Result<Vec<PathBuf>> {
    let path = path_text(path);
    let exact = root.join(project_key(&path));
    let Some(prefix) = project_key_prefix(&path).filter(|_| !exact.is_dir()) else {
        return Ok(vec![exact]);
    };
    let mut dirs = project_dirs(root)?;
    dirs.retain(|dir| {
        dir.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with(&prefix))
    });
    Ok(dirs)
}

/// Returns every project directory, by name; none if there is no root.
fn project_dirs(root: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        Err(error) => return Err(file_error("read", root, error)),
    };
    let mut dirs: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    dirs.sort_unstable();
    Ok(dirs)
}

/// Resolves symbolic links; keeps the absolute path of a directory that does not exist.
fn real_path(path: &Path) -> PathBuf {
    fs::canonicalize(path)
        .or_else(|_| path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}

pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Returns whether the CLI accepts a name in [`PROJECT_DIR_NAME`].
pub(crate) fn is_directory_name(name: &str) -> bool {
    let is_device = matches!(&*name.to_ascii_uppercase(), "CON" | "PRN" | "AUX" | "NUL");
    (1..=64).contains(&name.len())
        && !is_device
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}
