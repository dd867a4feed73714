use std::sync::{Mutex, PoisonError};

use ::rmcp::{Peer, RoleServer};
use tokio::sync::watch;
use tokio::task::AbortHandle;

/// Sends `notifications/tools/list_changed` to one client after each change, until dropped.
#[derive(Debug, Default)]
pub(super) struct ChangeNotifier {
    task: Mutex<Option<AbortHandle>>,
}

impl ChangeNotifier {
    /// Starts to notify this client instead of the previous one.
    pub(super) fn start(&self, mut changes: watch::Receiver<u64>, client: Peer<RoleServer>) {
        let task = tokio::spawn(async move {
            // Ends when the tools are dropped or the client is gone.
            while changes.changed().await.is_ok() {
                if client.notify_tool_list_changed().await.is_err() {
                    return;
                }
            }
        });
        self.replace(Some(task.abort_handle()));
    }

    fn replace(&self, task: Option<AbortHandle>) {
        let mut current = self.task.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(previous) = std::mem::replace(&mut *current, task) {
            previous.abort();
        }
    }
}

impl Drop for ChangeNotifier {
    fn drop(&mut self) {
        self.replace(None);
    }
}
