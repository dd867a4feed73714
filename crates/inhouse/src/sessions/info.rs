use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use inhouse_proto::session::{SessionId, Summary};
use serde::Deserialize;

use super::archive;
use super::blocking::file_error;
use super::location::{Found, SearchDirectories};
use super::transcript::{Windows, open};
use crate::error::{Error, ErrorKind, Result};

/// Information about a session.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SessionInfo {
    /// The id of the session, for [`Options::resume`](crate::Options::resume).
    pub id: SessionId,
    /// A line that describes the session: its title, else its last prompt, else its first prompt. Empty if it has none.
    pub summary: String,
    /// The title that the user gave, else the one that the CLI generated.
    pub title: Option<String>,
    /// The first prompt, at most 200 UTF-16 units long; without one the first slash command.
    pub first_prompt: Option<String>,
    /// The tag of the session.
    pub tag: Option<String>,
    /// The git branch at the last message; `HEAD` outside of a repository.
    pub git_branch: Option<String>,
    /// The working directory of the session.
    pub cwd: Option<PathBuf>,
    /// Time of the first entry.
    pub created_at: Option<SystemTime>,
    /// Time at which the transcript was modified. For a session of a store, [`Sessions::info`](super::Sessions::info) gives the time of the last entry.
    pub last_modified: SystemTime,
    /// Size of the transcript in bytes; `None` for a session of a store.
    pub file_size: Option<u64>,
    /// Whether the session is archived, and no person has sent a prompt since.
    pub is_archived: bool,
    /// Path of the transcript; `None` for a session of a store.
    pub transcript: Option<PathBuf>,
}

/// A session that was read, with what a list needs to filter it.
pub(super) struct Details {
    pub(super) info: SessionInfo,
    pub(super) summary: Summary,
}

/// Finds and reads a session.
pub(super) fn read_info(place: &SearchDirectories, id: &SessionId) -> Result<SessionInfo> {
    let found = place.find(id)?;
    let has_dir = found.session_dir().is_dir();
    let details = read_details(&found, has_dir, &mut Windows::new())?;
    if details.summary.is_sidechain {
        return Err(Error::new(
            ErrorKind::SessionNotFound,
            format!(
                "{} is the transcript of a subagent, not of a session",
                found.transcript.display()
            ),
        ));
    }
    let mut info = details.info;
    if let (None, Some(project)) = (&info.cwd, &place.project) {
        info.cwd = Some(project.path.clone());
    }
    Ok(info)
}

/// Reads the head and the tail of a transcript, and the files beside it.
pub(super) fn read_details(found: &Found, has_dir: bool, windows: &mut Windows) -> Result<Details> {
    let read = open(&found.transcript).and_then(|mut file| windows.read(&mut file, found.len));
    read.map_err(|error| file_error("read", &found.transcript, error))?;
    let mut summary = Summary::read(windows.head(), windows.tail());
    let mut is_archived = false;
    if has_dir {
        let dir = found.session_dir();
        if !summary.is_title_recent {
            summary.custom_title = title_file(&dir).or(summary.custom_title);
        }
        is_archived = archive::read(&dir)
            .and_then(|mark| archive::archived_at(&mark))
            .is_some_and(|at| !Summary::has_prompt_after(windows.head(), windows.tail(), at));
    }
    let info = SessionInfo {
        id: found.id.clone(),
        summary: summary.text().unwrap_or_default().to_owned(),
        title: summary.title().map(str::to_owned),
        first_prompt: summary.first_prompt().map(str::to_owned),
        tag: summary.tag.clone(),
        git_branch: summary.git_branch.clone(),
        cwd: summary.cwd.as_ref().map(PathBuf::from),
        created_at: summary.created_at,
        last_modified: found.modified,
        file_size: Some(found.len),
        is_archived,
        transcript: Some(found.transcript.clone()),
    };
    Ok(Details { info, summary })
}

/// Reads the title that the CLI keeps beside the transcript, in case the entry is no longer near its end.
fn title_file(dir: &Path) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct TitleFile {
        custom_title: String,
    }
    let json = fs::read(dir.join("custom-title.json")).ok()?;
    let file: TitleFile = serde_json::from_slice(&json).ok()?;
    Some(file.custom_title).filter(|title| !title.trim().is_empty())
}
