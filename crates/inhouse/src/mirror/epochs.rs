use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use inhouse_store::{Epoch, SessionKey, SessionStore};
use tokio::sync::OnceCell;

use super::writer::persist;

/// The epochs under which this host writes: one for each session, fixed at its first write.
pub(crate) struct SessionEpochs {
    store: Arc<dyn SessionStore>,
    known: Mutex<HashMap<SessionKey, Arc<OnceCell<Epoch>>>>,
}

impl SessionEpochs {
    /// Creates the table with the epoch of a session that this host owns already, if it does.
    pub(crate) fn new(
        store: Arc<dyn SessionStore>,
        session: &SessionKey,
        epoch: Option<Epoch>,
    ) -> Self {
        let known = epoch.map(|epoch| (session.clone(), Arc::new(OnceCell::new_with(Some(epoch)))));
        Self {
            store,
            known: Mutex::new(known.into_iter().collect()),
        }
    }

    /// Returns the epoch of a session, and becomes its owner the first time.
    pub(crate) async fn of(&self, session: &SessionKey) -> inhouse_store::Result<Epoch> {
        let epoch = {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.entry(session.clone()).or_default())
        };
        let epoch = epoch.get_or_try_init(|| persist(|| self.store.fence(session, None)));
        epoch.await.copied()
    }
}
