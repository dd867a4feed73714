use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::time::Duration;

use inhouse_proto::session::SessionId;
use inhouse_store::{Erase, ProjectKey, SessionStore, StoreError, StoreErrorKind};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep, timeout};

use super::choose::project_of;
use super::directory::{find_idle, remove, root_or_default};
use super::store_error;
use crate::error::{Error, ErrorKind, Result};
use crate::launch::HostEnvironment;
use crate::mirror::{FIRST_PAUSE, LONGEST_PAUSE};
use crate::options::Options;

/// How long the erasure of one session may take. The time of other calls is too short for a large session.
const ONE_SESSION: Duration = Duration::from_secs(600);

/// How long a store may fail before an erasure does.
const GIVE_UP: Duration = Duration::from_secs(60);

/// Erases a session from its store, and its directory from this machine.
pub(crate) async fn erase(options: &Options, id: &SessionId) -> Result<()> {
    let (store, project) = store_and_project(options)?;
    let session = project.session(id.to_string()).map_err(store_error)?;
    let erase = Erase::from(session);
    let mut failures = Failures::default();
    while let Err(error) = answered(store.erase(&erase)).await {
        failures.retry_after(error).await.map_err(store_error)?;
    }
    // After the store: a host that still runs the session is fenced now, and removes the directory itself.
    let id = id.to_string();
    in_root(options, move |root| remove(root, &id)).await
}

/// Erases the sessions of a project that were not written to for `idle`; returns how many the store had.
pub(crate) async fn erase_idle(options: &Options, idle: Duration) -> Result<u64> {
    let (store, project) = store_and_project(options)?;
    let erased = erase_idle_from(&*store, &project, idle).await;
    let erased = erased.map_err(store_error)?;
    in_root(options, move |root| {
        let sessions = find_idle(root, project.as_str(), idle);
        sessions.iter().try_for_each(|id| remove(root, id))
    })
    .await?;
    Ok(erased)
}

/// Erases idle sessions from a store until there are none, however many there are.
async fn erase_idle_from(
    store: &dyn SessionStore,
    project: &ProjectKey,
    idle: Duration,
) -> inhouse_store::Result<u64> {
    let mut erased = 0;
    let mut failures = Failures::default();
    loop {
        let mut sessions = store.erase_idle(idle, Some(project));
        let error = loop {
            let next = poll_fn(|context| sessions.as_mut().poll_next(context));
            match answered(async { next.await.transpose() }).await {
                Ok(None) => return Ok(erased),
                Ok(Some(_)) => {
                    erased += 1;
                    failures = Failures::default();
                }
                Err(error) => break error,
            }
        };
        // The sessions that are left are found again.
        failures.retry_after(error).await?;
    }
}

/// Limits the time of a call that erases one session.
async fn answered<T>(
    call: impl Future<Output = inhouse_store::Result<T>>,
) -> inhouse_store::Result<T> {
    timeout(ONE_SESSION, call).await.unwrap_or_else(|_| {
        let message = format!("no answer within {} s", ONE_SESSION.as_secs());
        Err(StoreError::new(StoreErrorKind::Unavailable, message))
    })
}

/// The failures of a store since its last success.
#[derive(Default)]
struct Failures(Option<(Instant, Duration)>);

impl Failures {
    /// Pauses before the next attempt; returns the error if there is none.
    async fn retry_after(&mut self, error: StoreError) -> inhouse_store::Result<()> {
        let now = Instant::now();
        let (give_up, pause) = self.0.unwrap_or((now + GIVE_UP, FIRST_PAUSE));
        if !error.is_retryable() || now + pause > give_up {
            return Err(error);
        }
        tracing::warn!(%error, "session store failed, trying again");
        sleep(pause).await;
        self.0 = Some((give_up, (pause * 2).min(LONGEST_PAUSE)));
        Ok(())
    }
}

fn store_and_project(options: &Options) -> Result<(Arc<dyn SessionStore>, ProjectKey)> {
    let store = options.store.store.as_ref().ok_or_else(|| {
        Error::config("no store to erase from; set `Options::store`, or use `sessions::delete`")
    })?;
    let project = project_of(options, &HostEnvironment::current())?;
    Ok((Arc::clone(&store.0), project))
}

/// Works on the root of session directories.
async fn in_root(
    options: &Options,
    work: impl FnOnce(&std::path::Path) -> Result<()> + Send + 'static,
) -> Result<()> {
    let (root, owner) = (options.store.root.clone(), options.process.user);
    let done = spawn_blocking(move || work(&root_or_default(root, owner)?)).await;
    done.unwrap_or_else(|error| {
        let text = "the directories of sessions cannot be removed";
        Err(Error::new(ErrorKind::Store, text).with_source(error))
    })
}
