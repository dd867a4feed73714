use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use inhouse_proto::engine::Text;

use crate::tool::{Cancelled, Canceller};

/// The requests of one CLI that one server is working on, by their ids.
#[derive(Clone, Default)]
pub(super) struct OpenCalls {
    calls: Arc<Mutex<HashMap<Text, Canceller>>>,
}

/// Keeps a request in the table until it is answered or dropped.
pub(super) struct OpenCall {
    calls: OpenCalls,
    pub(super) id: Text,
    pub(super) cancelled: Cancelled,
}

impl OpenCalls {
    /// Enters a request; `None` when one with that id is open.
    pub(super) fn open(&self, id: Text) -> Option<OpenCall> {
        let mut calls = self.lock();
        let Entry::Vacant(entry) = calls.entry(id.clone()) else {
            return None;
        };
        let (canceller, cancelled) = Cancelled::new();
        entry.insert(canceller);
        drop(calls);
        Some(OpenCall {
            calls: self.clone(),
            id,
            cancelled,
        })
    }

    /// Cancels a request, if it is open.
    pub(super) fn cancel(&self, id: &str) {
        if let Some(canceller) = self.lock().get(id.as_bytes()) {
            canceller.cancel();
        }
    }

    /// Cancels every request, and forgets their ids.
    pub(super) fn cancel_all(&self) {
        // Told without the lock: whoever waits for a cancellation may be woken right here.
        drop(std::mem::take(&mut *self.lock()));
    }

    // Nothing in here can panic half-way through a change.
    fn lock(&self) -> MutexGuard<'_, HashMap<Text, Canceller>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        let mut calls = self.calls.lock();
        // Ids are used again after a new handshake: a late end of the old request must not remove
        // the new one.
        if let Entry::Occupied(entry) = calls.entry(self.id.clone())
            && entry.get().is_of(&self.cancelled)
        {
            entry.remove();
        }
    }
}
