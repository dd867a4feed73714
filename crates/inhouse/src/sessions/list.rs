use std::collections::HashSet;
use std::fs;
use std::future::{Future, IntoFuture};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::SystemTime;

use inhouse_proto::session::{SessionId, Summary, project_key};

use super::SessionInfo;
use super::blocking::{blocking, file_error};
use super::info::read_details;
use super::location::{
    Found, Location, Project, SearchDirectories, is_absent, is_transcript, modified, path_text,
};
use super::transcript::Windows;
use crate::error::Result;

/// Largest number of threads that read transcripts at a time.
const MAX_THREADS: usize = 4;

/// Number of transcripts that are worth another thread.
const PER_THREAD: usize = 128;

/// A list of sessions, which is read when this is awaited; see [`Sessions::list`](super::Sessions::list).
///
/// ```
/// # inhouse_testkit::fake::with_session("Hello", async |sessions, _| {
/// let list = sessions.list().limit(20);
/// let sessions = list.await?;
/// assert_eq!(sessions[0].summary, "Hello");
/// # Ok(()) });
/// ```
///
/// # Errors
/// Awaiting it fails with `Store` if a directory or the store cannot be read. A transcript on disk that cannot be read is left out.
#[derive(Clone, Debug)]
#[must_use = "a list does nothing until it is awaited"]
pub struct List {
    location: Location,
    limit: Option<usize>,
    offset: usize,
    worktrees: bool,
    programmatic: bool,
}

impl List {
    pub(super) fn new(location: Location) -> Self {
        Self {
            location,
            limit: None,
            offset: 0,
            worktrees: true,
            programmatic: true,
        }
    }

    /// Sets how many sessions to return at most. Default: all.
    ///
    /// With a limit, only as many transcripts are read as are needed.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, id| {
    /// sessions.fork(id).await?;
    /// assert_eq!(sessions.list().await?.len(), 2);
    /// assert_eq!(sessions.list().limit(1).await?.len(), 1);
    /// # Ok(()) });
    /// ```
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Sets how many sessions to skip, of those that would be returned. Default: 0.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, _| {
    /// // The second page of one session each; there is one session.
    /// let second = sessions.list().limit(1).offset(1).await?;
    /// assert!(second.is_empty());
    /// # Ok(()) });
    /// ```
    pub fn offset(mut self, offset: usize) -> Self {
        self.offset = offset;
        self
    }

    /// Sets whether to include the sessions of the other worktrees of the project's git repository.
    ///
    /// Has no effect without a [project](super::Sessions::project), and none in a [store](super::Sessions::store). Default: `true`.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, _| {
    /// let app = sessions.project("/app");
    /// let only_here = app.list().worktrees(false).await?;
    /// assert_eq!(only_here.len(), 1);
    /// # Ok(()) });
    /// ```
    pub fn worktrees(mut self, include: bool) -> Self {
        self.worktrees = include;
        self
    }

    /// Sets whether to include sessions that programs started through an SDK. Default: `true`.
    ///
    /// ```
    /// # inhouse_testkit::fake::with_session("Hello", async |sessions, _| {
    /// // A person has started the session in a terminal.
    /// let by_persons = sessions.list().programmatic(false).await?;
    /// assert_eq!(by_persons.len(), 1);
    /// # Ok(()) });
    /// ```
    pub fn programmatic(mut self, include: bool) -> Self {
        self.programmatic = include;
        self
    }
}

impl IntoFuture for List {
    type Output = Result<Vec<SessionInfo>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    /// Reads the sessions.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            if let Some(project) = self.location.stored()? {
                let limit = self.limit.unwrap_or(usize::MAX);
                return project.list(self.offset, limit, self.programmatic).await;
            }
            let place = self.location.resolve_with(self.worktrees).await?;
            let programmatic = self.programmatic;
            let (reader, candidates) = blocking(move || {
                let candidates = candidates(&place)?;
                let reader = Reader {
                    place,
                    programmatic,
                };
                Ok((Arc::new(reader), candidates))
            })
            .await?;
            match self.limit {
                Some(limit) => {
                    let offset = self.offset;
                    blocking(move || Ok(reader.read_page(&candidates, offset, limit))).await
                }
                None => {
                    let mut all = read_all(reader, candidates).await?;
                    all.drain(..self.offset.min(all.len()));
                    Ok(all)
                }
            }
        })
    }
}

/// A transcript that may be listed.
struct Candidate {
    /// Index of its directory.
    dir: usize,
    id: SessionId,
    len: u64,
    modified: SystemTime,
    /// Whether the session has a directory.
    has_dir: bool,
}

/// Returns all transcripts, those modified last first, and each session once.
fn candidates(place: &SearchDirectories) -> Result<Vec<Candidate>> {
    let mut candidates = Vec::new();
    for (number, dir) in place.dirs.iter().enumerate() {
        scan(number, dir, &mut candidates)?;
    }
    candidates.sort_unstable_by(|a, b| (b.modified, &b.id).cmp(&(a.modified, &a.id)));
    if place.dirs.len() > 1 {
        let mut seen = HashSet::new();
        candidates.retain(|candidate| seen.insert(candidate.id.to_ascii_lowercase()));
    }
    Ok(candidates)
}

fn scan(number: usize, dir: &Path, candidates: &mut Vec<Candidate>) -> Result<()> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(()),
        Err(error) => return Err(file_error("read", dir, error)),
    };
    let first = candidates.len();
    let mut session_dirs = HashSet::new();
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            continue;
        };
        let Some(stem) = name.strip_suffix(".jsonl") else {
            session_dirs.extend(name.parse::<SessionId>());
            continue;
        };
        // Not followed if it is a symbolic link.
        let (Ok(id), Ok(metadata)) = (stem.parse(), entry.metadata()) else {
            continue;
        };
        if is_transcript(&metadata) {
            candidates.push(Candidate {
                dir: number,
                id,
                len: metadata.len(),
                modified: modified(&metadata),
                has_dir: false,
            });
        }
    }
    for candidate in &mut candidates[first..] {
        candidate.has_dir = session_dirs.contains(&candidate.id);
    }
    Ok(())
}

/// Reads all transcripts on a few threads, and keeps their order.
async fn read_all(reader: Arc<Reader>, mut rest: Vec<Candidate>) -> Result<Vec<SessionInfo>> {
    let threads = available_parallelism().map_or(1, usize::from);
    let threads = threads
        .min(MAX_THREADS)
        .min(rest.len().div_ceil(PER_THREAD))
        .max(1);
    let chunk = rest.len().div_ceil(threads).max(1);
    let mut tasks = Vec::new();
    while !rest.is_empty() {
        let behind = rest.split_off(chunk.min(rest.len()));
        let (reader, candidates) = (Arc::clone(&reader), std::mem::replace(&mut rest, behind));
        // Spawned before the first is awaited, so that they run at the same time.
        tasks.push(tokio::spawn(blocking(move || {
            Ok(reader.read_page(&candidates, 0, usize::MAX))
        })));
    }
    let mut sessions = Vec::new();
    for task in tasks {
        let read = task.await.unwrap_or_else(|error| {
            std::panic::resume_unwind(error.into_panic());
        });
        sessions.extend(read?);
    }
    Ok(sessions)
}

/// Reads and filters transcripts.
struct Reader {
    place: SearchDirectories,
    programmatic: bool,
}

impl Reader {
    fn read_page(&self, candidates: &[Candidate], offset: usize, limit: usize) -> Vec<SessionInfo> {
        let mut windows = Windows::new();
        candidates
            .iter()
            .filter_map(|candidate| self.read(candidate, &mut windows))
            .skip(offset)
            .take(limit)
            .collect()
    }

    fn read(&self, candidate: &Candidate, windows: &mut Windows) -> Option<SessionInfo> {
        let dir = &self.place.dirs[candidate.dir];
        let found = Found {
            id: candidate.id.clone(),
            transcript: dir.join(format!("{}.jsonl", candidate.id)),
            len: candidate.len,
            modified: candidate.modified,
        };
        let mut details = match read_details(&found, candidate.has_dir, windows) {
            Ok(details) => details,
            Err(error) => {
                tracing::debug!(%error, "transcript left out of a list");
                return None;
            }
        };
        let summary = &details.summary;
        let is_listed = !summary.is_sidechain
            && summary.text().is_some()
            && (self.programmatic || !summary.is_programmatic())
            && !is_superseded(summary, dir);
        if !is_listed {
            return None;
        }
        if let Some(project) = &self.place.project {
            match &details.info.cwd {
                Some(cwd) if is_foreign(cwd, project, dir) => return None,
                Some(_) => {}
                None => details.info.cwd = Some(project.path.clone()),
            }
        }
        Some(details.info)
    }
}

/// Returns whether the session was continued in another one that exists.
fn is_superseded(summary: &Summary, dir: &Path) -> bool {
    let continued = summary.continued_in.as_deref().map(str::parse::<SessionId>);
    let Some(Ok(id)) = continued else {
        return false;
    };
    let metadata = fs::symlink_metadata(dir.join(format!("{id}.jsonl")));
    metadata.is_ok_and(|metadata| is_transcript(&metadata))
}

/// Returns whether a session belongs to another project with the same key, such as `/a-b` and `/a/b`.
fn is_foreign(cwd: &Path, project: &Project, dir: &Path) -> bool {
    let is_of = |path: &Path| path == project.path || project.worktrees.iter().any(|w| w == path);
    if is_of(cwd) {
        return false;
    }
    let has_key = dir
        .file_name()
        .is_some_and(|name| name.to_string_lossy() == project_key(&path_text(cwd)));
    let real = fs::canonicalize(cwd).unwrap_or_else(|_| PathBuf::from(cwd));
    has_key && !is_of(&real)
}
