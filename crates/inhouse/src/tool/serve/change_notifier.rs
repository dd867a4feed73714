use std::sync::{Mutex, PoisonError};

use ::rmcp::{Peer, RoleServer};
use tokio::sync::watch;
use tokio::task::AbortHandle;

/// Tells one client whenever the tools change, until it is dropped.
#[derive(Debug, Default)]
pub(super) struct TellsOfChanges {
    telling: Mutex<Option<AbortHandle>>,
}

impl TellsOfChanges {
    /// Begins to tell this client, in the place of the one before.
    pub(super) fn begin(&self, mut changes: watch::Receiver<u64>, client: Peer<RoleServer>) {
        changes.mark_unchanged();
        let telling = tokio::spawn(async move {
            while changes.changed().await.is_ok() && client.notify_tool_list_changed().await.is_ok()
            {
            }
        });
        self.replace(Some(telling.abort_handle()));
    }

    fn replace(&self, telling: Option<AbortHandle>) {
        let mut current = self.telling.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = std::mem::replace(&mut *current, telling) {
            before.abort();
        }
    }
}

impl Drop for TellsOfChanges {
    fn drop(&mut self) {
        self.replace(None);
    }
}
