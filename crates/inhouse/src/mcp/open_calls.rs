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

/// The requests of one CLI that one server is working on, by their ids.
#[derive(Clone, Default)]
pub(super) struct OpenCalls {
    calls: Arc<Mutex<Calls>>,
}

type Calls = HashMap<Text, Cancelled, RandomState>;

/// Keeps a request in the table until it is answered or dropped.
pub(crate) struct OpenCall {
    calls: OpenCalls,
    id: Text,
    canceller: Canceller,
}

impl OpenCalls {
    /// Enters a request; `None` when one with that id is open.
    pub(super) fn open(&self, id: Text) -> Option<OpenCall> {
        let mut calls = self.lock();
        let Entry::Vacant(entry) = calls.entry(id.clone()) else {
            return None;
        };
        let canceller = Canceller::new();
        entry.insert(canceller.cancelled().clone());
        drop(calls);
        Some(OpenCall {
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

    /// Cancels every request, and forgets their ids.
    pub(super) fn cancel_all(&self) {
        let calls = std::mem::take(&mut *self.lock());
        // Told without the lock: whoever waits for a cancellation may be woken right here.
        for cancelled in calls.into_values() {
            cancelled.cancel();
        }
    }

    // Nothing in here can panic half-way through a change.
    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenCall {
    /// The id as the CLI gave it.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Fires when the CLI cancels the request.
    pub(crate) fn cancelled(&self) -> &Cancelled {
        self.canceller.cancelled()
    }

    /// The answer that a future comes to, or that of a cancelled request when this comes first: the
    /// future is done with then.
    pub(crate) async fn answer(
        &self,
        outcome: Pin<&mut (impl Future<Output = Result<Payload, RpcError>> + Send)>,
    ) -> Answer {
        let cancelled = || RpcError::new(ErrorCode::CANCELLED, "the request was cancelled");
        let outcome = if self.cancelled().is_cancelled() {
            Err(cancelled())
        } else {
            tokio::select! {
                // The answer first: most are there at once, and need no ear for anything else.
                biased;
                outcome = outcome => outcome,
                () = self.cancelled().wait() => Err(cancelled()),
            }
        };
        self.answer_now(outcome)
    }

    /// The answer that is known already.
    pub(crate) fn answer_now(&self, outcome: Result<Payload, RpcError>) -> Answer {
        let payload = outcome.unwrap_or_else(|error| error_payload(Some(&self.id), &error));
        Answer::Success(payload)
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        let mut calls = self.calls.lock();
        // Ids are used again after a new handshake: a late end of the old request must not remove
        // the new one.
        let is_ours = |open: &Cancelled| open.is_of(self.canceller.cancelled());
        if calls.get(&self.id).is_some_and(is_ours) {
            calls.remove(&self.id);
        }
    }
}
