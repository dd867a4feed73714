use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::fast::RandomState;
use inhouse_proto::control::incoming::{Answer, Payload};
use inhouse_proto::mcp::{ErrorCode, RpcError, error_payload};
use inhouse_proto::wire::Text;

use crate::tool::{Cancelled, Canceller};

/// The open requests of one client to one server, by their ids.
#[derive(Clone, Default)]
pub(super) struct OpenCalls {
    calls: Arc<Mutex<Calls>>,
}

type Calls = HashMap<Text, Cancelled, RandomState>;

/// An open request. Dropping it removes the request from the table.
pub(crate) struct OpenCall {
    calls: OpenCalls,
    id: Text,
    canceller: Canceller,
}

impl OpenCalls {
    /// Adds a request; returns the id if a request with this id is open.
    pub(super) fn open(&self, id: Text) -> Result<OpenCall, Text> {
        let mut calls = self.lock();
        let Entry::Vacant(entry) = calls.entry(id.clone()) else {
            return Err(id);
        };
        let canceller = Canceller::new();
        entry.insert(canceller.cancelled().clone());
        drop(calls);
        Ok(OpenCall {
            calls: self.clone(),
            id,
            canceller,
        })
    }

    /// Cancels a request, if it is open.
    pub(super) fn cancel(&self, id: &str) {
        let cancelled = self.lock().get(id).cloned();
        if let Some(cancelled) = cancelled {
            cancelled.cancel();
        }
    }

    /// Cancels every request, and removes all ids.
    pub(super) fn cancel_all(&self) {
        let calls = std::mem::take(&mut *self.lock());
        // Cancelled after the lock is released, because it wakes tasks that may take the lock.
        for cancelled in calls.into_values() {
            cancelled.cancel();
        }
    }

    // A poisoned table is still consistent: no method panics in the middle of a change.
    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenCall {
    /// Returns the id as the client sent it, in JSON.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Returns the token that is cancelled when the client cancels the request, or when it ends.
    pub(crate) fn cancelled(&self) -> &Cancelled {
        self.canceller.cancelled()
    }

    /// Awaits the outcome, and returns the answer; that of a cancelled request if it is cancelled first.
    /// The caller then drops the future.
    pub(crate) async fn answer(
        &self,
        outcome: Pin<&mut (impl Future<Output = Result<Payload, RpcError>> + Send)>,
    ) -> Answer {
        let cancelled = || RpcError::new(ErrorCode::CANCELLED, "the request was cancelled");
        let outcome = if self.cancelled().is_cancelled() {
            Err(cancelled())
        } else {
            tokio::select! {
                // The outcome first: most are ready at once, and need not register a waker below.
                biased;
                outcome = outcome => outcome,
                () = self.cancelled().wait() => Err(cancelled()),
            }
        };
        self.answer_now(outcome)
    }

    /// Returns the answer for a known outcome.
    pub(crate) fn answer_now(&self, outcome: Result<Payload, RpcError>) -> Answer {
        let payload = outcome.unwrap_or_else(|error| error_payload(Some(&self.id), &error));
        Answer::Success(payload)
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        let mut calls = self.calls.lock();
        // Ids are reused after a new handshake: the late end of an old request must not remove a new
        // one.
        if calls
            .get(&self.id)
            .is_some_and(|open| open.is_of(self.canceller.cancelled()))
        {
            calls.remove(&self.id);
        }
    }
}
