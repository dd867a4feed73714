use std::path::{Path, PathBuf};

use inhouse_proto::session::{Entry, SessionId, project_key};
use inhouse_store::{Page, Position, ProjectKey, SessionKey, SessionStore};
use uuid::Uuid;

use super::store_error;
use crate::error::{Error, ErrorKind, Result};
use crate::launch::{HostEnvironment, child_variable};
use crate::mirror::{persist, read_entries};
use crate::options::Options;
use crate::sessions::{PROJECT_DIR_NAME, is_directory_name};

/// How many entries are read at once until a message is found.
const FIRST_ENTRIES: usize = 8;

/// The session that the options mean.
pub(super) struct Chosen {
    /// The session to run: a new one, a fork, or the resumed one.
    pub(super) session: SessionKey,
    /// The session whose transcript is loaded.
    pub(super) resumed: Option<SessionKey>,
}

pub(super) async fn choose(
    store: &dyn SessionStore,
    options: &Options,
    host: &HostEnvironment,
) -> Result<Chosen> {
    let wanted = &options.session;
    let project = project_of(options, host)?;
    let resumed = match &wanted.resume {
        Some(id) => Some(find(store, &project, id).await?),
        None if wanted.continue_latest => latest(store, &project).await?,
        None => cut_off(store, &project, wanted.id.as_deref()).await?,
    };
    let session = match &resumed {
        Some(resumed) if !wanted.fork => resumed.clone(),
        _ => new_session(store, &project, wanted.id.as_deref()).await?,
    };
    Ok(Chosen { session, resumed })
}

/// Returns the key under which the CLI keeps the sessions of its working directory.
pub(super) fn project_of(options: &Options, host: &HostEnvironment) -> Result<ProjectKey> {
    let named = child_variable(options, host, PROJECT_DIR_NAME).and_then(|name| name.to_str());
    let key = match named.filter(|name| is_directory_name(name)) {
        Some(name) => name.to_owned(),
        None => project_key(&working_directory(options)?.to_string_lossy()),
    };
    ProjectKey::new(key).map_err(store_error)
}

/// Returns the working directory of the CLI, with its links resolved if it is on this machine.
pub(super) fn working_directory(options: &Options) -> Result<PathBuf> {
    let cwd = options.process.cwd.as_deref().unwrap_or(Path::new("."));
    let cwd = std::path::absolute(cwd).map_err(|error| {
        Error::config("the working directory of the process is gone; set `cwd`").with_source(error)
    })?;
    Ok(cwd.canonicalize().unwrap_or(cwd))
}

async fn find(store: &dyn SessionStore, project: &ProjectKey, id: &str) -> Result<SessionKey> {
    let session = project.session(id).map_err(store_error)?;
    if has_entries(store, &session).await? || has_calls(store, &session).await? {
        return Ok(session);
    }
    let text = format!(
        "the store has no session {id} in the project {project}; the project is the working directory, \
         which must be the same on every machine"
    );
    Err(Error::new(ErrorKind::SessionNotFound, text))
}

/// Returns the session with the id of a new one whose first host died before a message was stored.
async fn cut_off(
    store: &dyn SessionStore,
    project: &ProjectKey,
    id: Option<&str>,
) -> Result<Option<SessionKey>> {
    let Some(id) = id else {
        return Ok(None);
    };
    let session = project.session(id).map_err(store_error)?;
    let has_begun = has_entries(store, &session).await? || has_calls(store, &session).await?;
    let is_cut_off = has_begun && !has_conversation(store, &session).await?;
    Ok(is_cut_off.then_some(session))
}

/// Returns the newest session of the project that the CLI can resume.
async fn latest(store: &dyn SessionStore, project: &ProjectKey) -> Result<Option<SessionKey>> {
    let mut page = Page::first();
    loop {
        let found = persist(|| store.list(project, &page)).await;
        let found = found.map_err(store_error)?;
        for session in found.sessions {
            if session.key.session().parse::<SessionId>().is_ok()
                && has_conversation(store, &session.key).await?
            {
                return Ok(Some(session.key));
            }
        }
        match found.next {
            Some(next) => page = Page::first().after(next),
            None => return Ok(None),
        }
    }
}

/// Returns whether the main stream has a message. The first ones are read: a few entries precede a message.
async fn has_conversation(store: &dyn SessionStore, session: &SessionKey) -> Result<bool> {
    let main = session.main();
    let mut next = Position::START;
    loop {
        let entries = read_entries(store, &main, next, FIRST_ENTRIES, usize::MAX).await;
        let entries = entries.map_err(store_error)?;
        for entry in &entries {
            match Entry::read(&String::from_utf8_lossy(entry)) {
                Some(entry) if entry.is_message() => return Ok(true),
                // The transcript of a subagent.
                Some(entry) if entry.is_sidechain => return Ok(false),
                _ => {}
            }
        }
        if entries.len() < FIRST_ENTRIES {
            return Ok(false);
        }
        next = next.after(entries.len());
    }
}

async fn new_session(
    store: &dyn SessionStore,
    project: &ProjectKey,
    id: Option<&str>,
) -> Result<SessionKey> {
    let Some(id) = id else {
        let id = Uuid::new_v4().to_string();
        return project.session(id).map_err(store_error);
    };
    let session = project.session(id).map_err(store_error)?;
    if has_conversation(store, &session).await? {
        let text = format!("the store has a session {id} already; use `resume` to continue it");
        return Err(Error::config(text));
    }
    Ok(session)
}

async fn has_entries(store: &dyn SessionStore, session: &SessionKey) -> Result<bool> {
    let main = session.main();
    let end = persist(|| store.end(&main)).await.map_err(store_error)?;
    Ok(end > Position::START)
}

/// Returns whether the journal has calls, which it may have before the transcript has an entry.
async fn has_calls(store: &dyn SessionStore, session: &SessionKey) -> Result<bool> {
    let Some(journal) = store.journal() else {
        return Ok(false);
    };
    let calls = persist(|| journal.calls(session)).await;
    Ok(!calls.map_err(store_error)?.is_empty())
}
