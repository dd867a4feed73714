use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use inhouse_store::{Epoch, Position, SessionKey, SessionStore, StoreError, StoreErrorKind};
use tokio::sync::OnceCell;

use super::persist::persist;

/// The epochs under which this host writes: one for each session, fixed at its first write.
pub(crate) struct SessionEpochs {
    store: Arc<dyn SessionStore>,
    /// The session that was opened.
    opened: SessionKey,
    known: Mutex<HashMap<SessionKey, Arc<OnceCell<Epoch>>>>,
}

impl SessionEpochs {
    /// Creates the table with the epoch of the session that is opened, if this host owns it already.
    pub(crate) fn new(
        store: Arc<dyn SessionStore>,
        opened: &SessionKey,
        epoch: Option<Epoch>,
    ) -> Self {
        let known = epoch.map(|epoch| (opened.clone(), Arc::new(OnceCell::new_with(Some(epoch)))));
        Self {
            store,
            opened: opened.clone(),
            known: Mutex::new(known.into_iter().collect()),
        }
    }

    /// Returns the epoch of a session, and becomes its owner the first time.
    ///
    /// # Errors
    /// `Invalid` if the CLI did not begin the session: it is not the one that was opened, and the store has something of it.
    pub(crate) async fn of(&self, session: &SessionKey) -> inhouse_store::Result<Epoch> {
        let epoch = {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.entry(session.clone()).or_default())
        };
        let epoch = epoch.get_or_try_init(|| self.take(session));
        epoch.await.copied()
    }

    /// Returns the session that was opened, and the others that this host owns.
    pub(super) fn owned(&self) -> Vec<SessionKey> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let is_owned = |(session, epoch): &(&SessionKey, &Arc<OnceCell<Epoch>>)| {
            **session != self.opened && epoch.initialized()
        };
        let others = known.iter().filter(is_owned);
        let others = others.map(|(session, _)| session.clone());
        std::iter::once(self.opened.clone()).chain(others).collect()
    }

    async fn take(&self, session: &SessionKey) -> inhouse_store::Result<Epoch> {
        if *session != self.opened && is_used(&*self.store, session).await? {
            return Err(StoreError::new(
                StoreErrorKind::Invalid,
                format!("the CLI wrote to session {session}, which it did not begin"),
            ));
        }
        persist(|| self.store.fence(session, None)).await
    }
}

/// Returns whether the store has anything of a session.
///
/// The CLI names the sessions that it begins, as with `/clear`. A command that it runs can write to its output, too, and must not become the
/// owner of a session of another host.
async fn is_used(store: &dyn SessionStore, session: &SessionKey) -> inhouse_store::Result<bool> {
    let main = session.main();
    if persist(|| store.end(&main)).await? > Position::START
        || !persist(|| store.subpaths(session)).await?.is_empty()
    {
        return Ok(true);
    }
    if let Some(leases) = store.leases()
        && persist(|| leases.holder(session)).await?.is_some()
    {
        return Ok(true);
    }
    match store.journal() {
        Some(journal) => Ok(!persist(|| journal.calls(session)).await?.is_empty()),
        None => Ok(false),
    }
}
