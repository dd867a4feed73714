use std::sync::Arc;
use std::time::Duration;

use inhouse_proto::session::SessionId;
use inhouse_store::{Erase, ProjectKey, SessionStore};
use tokio::task::spawn_blocking;

use super::choose::project_of;
use super::directory::{find_idle, remove, root_or_default};
use super::store_error;
use crate::error::{Error, ErrorKind, Result};
use crate::launch::HostEnvironment;
use crate::mirror::persist;
use crate::options::Options;

/// Erases a session from its store, and its directory from this machine.
pub(crate) async fn erase(options: &Options, id: &SessionId) -> Result<()> {
    let (store, project) = store_and_project(options)?;
    let session = project.session(id.to_string()).map_err(store_error)?;
    let erase = Erase::from(session);
    persist(|| store.erase(&erase)).await.map_err(store_error)?;
    // After the store: a host that still runs the session is fenced now, and removes the directory itself.
    let id = id.to_string();
    in_root(options, move |root| remove(root, &id)).await
}

/// Erases the sessions of a project that were not written to for `idle`; returns how many the store had.
pub(crate) async fn erase_idle(options: &Options, idle: Duration) -> Result<u64> {
    let (store, project) = store_and_project(options)?;
    let erased = persist(|| store.erase_idle(idle, Some(&project))).await;
    let erased = erased.map_err(store_error)?;
    in_root(options, move |root| {
        let sessions = find_idle(root, project.as_str(), idle);
        sessions.iter().try_for_each(|id| remove(root, id))
    })
    .await?;
    Ok(erased)
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
