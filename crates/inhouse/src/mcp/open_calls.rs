use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::tool::Cancelled;

/// The requests of one CLI that one server is working on.
#[derive(Clone, Default)]
pub(super) struct OpenCalls {
    calls: Arc<Mutex<HashMap<Box<str>, Open>>>,
}

struct Open {
    serial: u64,
    cancel: watch::Sender<bool>,
}

/// Keeps a request in the table until it is answered or dropped.
pub(super) struct OpenCall {
    calls: OpenCalls,
    id: Box<str>,
    serial: u64,
    pub(super) cancelled: Cancelled,
}

impl OpenCalls {
    /// Enters a request; `None` when one with that id is open.
    pub(super) fn open(&self, id: &str) -> Option<OpenCall> {
        let mut calls = self.lock();
        if calls.contains_key(id) {
            return None;
        }
        let (cancel, cancelled) = Cancelled::new();
        // Ids are used again after a new handshake: the serial keeps a late end of the old request
        // from removing the new one.
        let serial = SERIAL.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        calls.insert(id.into(), Open { serial, cancel });
        drop(calls);
        Some(OpenCall {
            calls: self.clone(),
            id: id.into(),
            serial,
            cancelled,
        })
    }

    /// Cancels a request, if it is open.
    pub(super) fn cancel(&self, id: &str) {
        if let Some(open) = self.lock().get(id) {
            open.cancel.send_replace(true);
        }
    }

    /// Cancels every request, and forgets their ids.
    pub(super) fn cancel_all(&self) {
        for (_, open) in self.lock().drain() {
            open.cancel.send_replace(true);
        }
    }

    // Nothing in here can panic half-way through a change.
    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, Open>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        let mut calls = self.calls.lock();
        if calls
            .get(&self.id)
            .is_some_and(|open| open.serial == self.serial)
        {
            calls.remove(&self.id);
        }
    }
}

static SERIAL: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
