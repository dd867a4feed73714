use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use inhouse_proto::session::{SessionId, Summary, TranscriptEnds};
use inhouse_store::{FilePath, Page, Position};
use tokio::task::JoinSet;

use super::ends::read_ends;
use super::{StoredProject, StoredSession, end_of};
use crate::error::{Error, ErrorKind, Result};
use crate::mirror::{StoredSummary, persist};
use crate::resume::store_error;
use crate::sessions::{SessionInfo, archive};

/// Largest number of sessions that are read at a time.
const CONCURRENT: usize = 16;

/// A session in a list of the store.
struct Candidate {
    session: StoredSession,
    modified: SystemTime,
    summary: Option<StoredSummary>,
}

impl StoredProject {
    /// Returns information about a session.
    pub(in crate::sessions) async fn info(&self, id: &SessionId) -> Result<SessionInfo> {
        let session = self.find(id).await?;
        let ends = read_ends(session.main()).await?;
        let summary = StoredSummary::from(&ends.summary());
        if summary.is_sidechain {
            let text = format!("{id} is the transcript of a subagent, not of a session");
            return Err(Error::new(ErrorKind::SessionNotFound, text));
        }
        let is_archived = session.is_archived(Some(&ends)).await?;
        Ok(self.describe(
            session.id,
            summary,
            ends.last_time().unwrap_or(SystemTime::UNIX_EPOCH),
            is_archived,
        ))
    }

    /// Lists the sessions, those modified last first.
    pub(in crate::sessions) async fn list(
        &self,
        offset: usize,
        limit: usize,
        programmatic: bool,
    ) -> Result<Vec<SessionInfo>> {
        let mut listed = Vec::new();
        let mut skipped = 0;
        let mut page = Page::first().limit(limit.saturating_add(offset).clamp(1, 100));
        while listed.len() < limit {
            let found = persist(|| self.store.list(&self.key, &page)).await;
            let found = found.map_err(store_error)?;
            let mut candidates = found.sessions.into_iter().filter_map(|found| {
                let id: SessionId = found.key.session().parse().ok()?;
                let summary = found.summary.as_deref().and_then(StoredSummary::decode);
                let session = StoredSession {
                    store: Arc::clone(&self.store),
                    id,
                    key: found.key,
                    end: found.end,
                };
                Some(Candidate {
                    session,
                    modified: found.modified,
                    summary,
                })
            });
            loop {
                let group: Vec<_> = candidates.by_ref().take(CONCURRENT).collect();
                if group.is_empty() || listed.len() == limit {
                    break;
                }
                for info in self.read_all(group, programmatic).await? {
                    if skipped < offset {
                        skipped += 1;
                    } else if listed.len() < limit {
                        listed.push(info);
                    }
                }
            }
            match found.next {
                Some(next) => page.after = Some(next),
                None => break,
            }
        }
        Ok(listed)
    }

    /// Reads sessions at the same time, and keeps their order.
    async fn read_all(
        &self,
        candidates: Vec<Candidate>,
        programmatic: bool,
    ) -> Result<Vec<SessionInfo>> {
        let mut infos: Vec<_> = candidates.iter().map(|_| None).collect();
        let mut tasks = JoinSet::new();
        for (number, candidate) in candidates.into_iter().enumerate() {
            let project = self.clone();
            tasks.spawn(async move { (number, project.read(candidate, programmatic).await) });
        }
        while let Some(read) = tasks.join_next().await {
            let (number, info) = read.unwrap_or_else(|error| {
                std::panic::resume_unwind(error.into_panic());
            });
            infos[number] = info?;
        }
        Ok(infos.into_iter().flatten().collect())
    }

    /// Reads a session; `None` if it is not listed.
    async fn read(&self, found: Candidate, programmatic: bool) -> Result<Option<SessionInfo>> {
        let Candidate {
            session,
            modified,
            summary,
        } = found;
        let (ends, summary) = match summary {
            Some(summary) if programmatic || summary.is_programmatic.is_some() => (None, summary),
            _ => {
                let ends = read_ends(session.main()).await?;
                let summary = StoredSummary::from(&ends.summary());
                (Some(ends), summary)
            }
        };
        let is_listed = !summary.is_sidechain
            && summary.summary.is_some()
            && (programmatic || summary.is_programmatic != Some(true))
            && !self.is_superseded(&summary).await?;
        if !is_listed {
            return Ok(None);
        }
        let is_archived = session.is_archived(ends.as_ref()).await?;
        Ok(Some(self.describe(
            session.id,
            summary,
            modified,
            is_archived,
        )))
    }

    /// Returns whether a session was continued in another one that exists.
    async fn is_superseded(&self, summary: &StoredSummary) -> Result<bool> {
        let continued = summary.continued_in.as_deref().map(str::parse::<SessionId>);
        let Some(Ok(id)) = continued else {
            return Ok(false);
        };
        let end = end_of(&*self.store, &self.session(&id)?.main()).await?;
        Ok(end > Position::START)
    }

    fn describe(
        &self,
        id: SessionId,
        summary: StoredSummary,
        last_modified: SystemTime,
        is_archived: bool,
    ) -> SessionInfo {
        let created_at = summary.created_at();
        SessionInfo {
            id,
            summary: summary.summary.unwrap_or_default(),
            title: summary.custom_title.or(summary.ai_title),
            first_prompt: summary.first_prompt,
            tag: summary.tag,
            git_branch: summary.git_branch,
            cwd: Some(summary.cwd.map_or_else(|| self.path.clone(), PathBuf::from)),
            created_at,
            last_modified,
            file_size: None,
            is_archived,
            transcript: None,
        }
    }
}

impl StoredSession {
    /// Returns whether the session is archived, and no person has sent a prompt since.
    async fn is_archived(&self, ends: Option<&TranscriptEnds>) -> Result<bool> {
        let path = archive_mark();
        let mark = persist(|| self.store.file(&self.key, &path)).await;
        let mark = mark.map_err(store_error)?;
        let Some(at) = mark.and_then(|mark| archive::archived_at(&mark)) else {
            return Ok(false);
        };
        let has_prompt =
            |ends: &TranscriptEnds| Summary::has_prompt_after(ends.head(), ends.tail(), at);
        Ok(match ends {
            Some(ends) => !has_prompt(ends),
            None => !has_prompt(&read_ends(self.main()).await?),
        })
    }
}

/// Returns the path of the archive mark.
pub(super) fn archive_mark() -> FilePath {
    FilePath::new(archive::FILE).expect("the path is safe")
}
