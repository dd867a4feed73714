use std::fs;
use std::path::{Path, PathBuf};

use inhouse_proto::session::{SessionId, SubagentMetadata, is_agent_id};

use super::blocking::file_error;
use super::location::{Found, is_absent, is_transcript};
use crate::error::{Error, ErrorKind, Result};

/// Deepest directory that is searched for transcripts of subagents. The CLI uses at most three levels.
const MAX_DEPTH: usize = 16;

/// A subagent of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Subagent {
    /// The id of the subagent, for [`Sessions::subagent_messages`](super::Sessions::subagent_messages).
    pub id: String,
    /// The metadata that the CLI recorded about the subagent; every field is `None` if it recorded nothing.
    pub metadata: SubagentMetadata,
    /// Path of the transcript; `None` for a subagent of a session in a store.
    pub transcript: Option<PathBuf>,
}

/// Lists the subagents of a session, ordered by the paths of their transcripts.
pub(super) fn list(session: &Found) -> Result<Vec<Subagent>> {
    let transcripts = transcripts(&session.session_dir().join("subagents"))?;
    Ok(transcripts
        .into_iter()
        .filter_map(|(transcript, _)| {
            let id = agent_id(transcript.file_stem()?.to_str()?)?.to_owned();
            Some(Subagent {
                id,
                metadata: metadata(&transcript),
                transcript: Some(transcript),
            })
        })
        .collect())
}

/// Finds the transcript of a subagent, and its length.
///
/// # Errors
/// `Config` for an invalid id; `SessionNotFound` if the session has no such subagent.
pub(super) fn find(session: &Found, agent: &str) -> Result<(PathBuf, u64)> {
    check_id(agent)?;
    let is_found = |path: &Path| {
        let name = path.file_stem().and_then(|name| name.to_str());
        name.and_then(agent_id) == Some(agent)
    };
    let transcripts = transcripts(&session.session_dir().join("subagents"))?;
    let mut transcripts = transcripts.into_iter();
    let found = transcripts.find(|(transcript, _)| is_found(transcript));
    found.ok_or_else(|| not_found(&session.id, agent))
}

/// Reads the metadata beside a transcript; every field is `None` if there is none.
pub(super) fn metadata(transcript: &Path) -> SubagentMetadata {
    let metadata = fs::read_to_string(metadata_path(transcript)).unwrap_or_default();
    SubagentMetadata::decode(&metadata)
}

/// # Errors
/// `Config` if the text cannot be the id of a subagent.
pub(super) fn check_id(agent: &str) -> Result<()> {
    if is_agent_id(agent) {
        return Ok(());
    }
    let message = format!(
        "{agent:?} is not the id of a subagent, which has 1 to 128 letters, digits, `_` and `-`"
    );
    Err(Error::config(message))
}

/// Returns the error for a subagent that a session does not have.
pub(super) fn not_found(session: &SessionId, agent: &str) -> Error {
    let message =
        format!("the session {session} has no subagent {agent}; `Sessions::subagents` lists them");
    Error::new(ErrorKind::SessionNotFound, message)
}

/// Returns the path of the metadata beside a transcript.
pub(super) fn metadata_path(transcript: &Path) -> PathBuf {
    transcript.with_extension("meta.json")
}

/// Returns all transcripts below a directory and their lengths, ordered by path. Symbolic links are not followed.
pub(super) fn transcripts(dir: &Path) -> Result<Vec<(PathBuf, u64)>> {
    let mut found = Vec::new();
    let mut rest = vec![(dir.to_owned(), 0)];
    while let Some((dir, depth)) = rest.pop() {
        let entries = match fs::read_dir(&dir) {
            Ok(entries) => entries,
            Err(error) if is_absent(&error) => continue,
            Err(error) => return Err(file_error("read", &dir, error)),
        };
        for entry in entries.filter_map(Result::ok) {
            let (path, Ok(metadata)) = (entry.path(), entry.metadata()) else {
                continue;
            };
            if metadata.is_dir() && depth < MAX_DEPTH {
                rest.push((path, depth + 1));
            } else if is_transcript(&metadata) && path.extension().is_some_and(|e| e == "jsonl") {
                found.push((path, metadata.len()));
            }
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Returns the id of a subagent from the name of its transcript, without an extension.
pub(super) fn agent_id(name: &str) -> Option<&str> {
    name.strip_prefix("agent-").filter(|id| is_agent_id(id))
}
