use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::fast::RandomState;
use inhouse_proto::control::incoming::{Answer, Payload};
use inhouse_proto::mcp::{
    AnyResult, ErrorCode, Rpc, RpcError, ToolCall, WriteResult, acknowledgement, error_payload,
    result_payload,
};
use inhouse_proto::wire::Text;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tracing::Span;

use super::{Reply, ServerSession};
use crate::tool::{Cancelled, Canceller, record_result};

/// A server's session with one client, and the open requests of that client.
///
/// Every request gets exactly one response, also if it is malformed, cancelled, or reuses an id.
pub(crate) struct Endpoint {
    session: Arc<dyn ServerSession>,
    calls: OpenCalls,
}

impl Endpoint {
    pub(crate) fn new(session: Arc<dyn ServerSession>) -> Self {
        Self {
            session,
            calls: OpenCalls::default(),
        }
    }

    pub(super) fn session(&self) -> &Arc<dyn ServerSession> {
        &self.session
    }

    /// Cancels every open request.
    pub(super) fn cancel_all(&self) {
        self.calls.cancel_all();
    }

    /// Calls a tool. `params` are the parameters that the call was decoded from.
    pub(super) fn call(&self, id: Text, params: Text, call: Box<ToolCall>) -> Reply {
        self.open(id, |session, open| session.call(call, params, open))
    }

    /// Handles a message.
    ///
    /// Notifications and responses are acknowledged, because the CLI waits for a reply to each
    /// `mcp_message` (2.1.325).
    pub(crate) fn receive(&self, message: &Text) -> Reply {
        match Rpc::parse(message) {
            Ok(Rpc::Request { id, method, params }) => {
                let params = params.map(|params| message.part(params));
                self.request(message.part(id), message.part(method), params)
            }
            Ok(Rpc::Notification { method, params }) => {
                if method == "notifications/cancelled" {
                    self.cancel(params);
                }
                self.session.notification(message);
                Reply::Ready(Answer::Success(acknowledgement()))
            }
            Ok(Rpc::Response { .. }) => {
                self.session.response(message);
                Reply::Ready(Answer::Success(acknowledgement()))
            }
            Err((error, id)) => refuse(id, &error),
        }
    }

    fn request(&self, id: Text, method: Text, params: Option<Text>) -> Reply {
        match &*method {
            "tools/call" => {
                return match ToolCall::parse(params.as_ref()) {
                    Ok(call) => self.call(id, params.unwrap_or_default(), Box::new(call)),
                    Err(error) => refuse(Some(&id), &error),
                };
            }
            // A client that initializes again restarts its ids, so that they could collide.
            "initialize" => self.calls.cancel_all(),
            _ => {}
        }
        self.open(id, |session, open| session.request(method, params, open))
    }

    /// Opens a request and lets the session handle it. A request with the id of an open one is refused.
    fn open(
        &self,
        id: Text,
        handle: impl FnOnce(Arc<dyn ServerSession>, OpenCall) -> Reply,
    ) -> Reply {
        match self.calls.open(id) {
            Ok(open) => handle(Arc::clone(&self.session), open),
            Err(id) => {
                let text = format!("a request with the id {} is already in flight", &*id);
                refuse(Some(&id), &RpcError::new(ErrorCode::INTERNAL, text))
            }
        }
    }

    fn cancel(&self, params: Option<&str>) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Cancelled<'a> {
            #[serde(borrow)]
            request_id: &'a RawValue,
        }
        let params = params.and_then(|params| serde_json::from_str(params).ok());
        if let Some(Cancelled { request_id }) = params {
            self.calls.cancel(request_id.get());
        }
    }
}

fn refuse(id: Option<&str>, error: &RpcError) -> Reply {
    Reply::Ready(Answer::Success(error_payload(id, error)))
}

/// The open requests of one client to one server, by their ids.
#[derive(Clone, Default)]
struct OpenCalls {
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
    fn open(&self, id: Text) -> Result<OpenCall, Text> {
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
    fn cancel(&self, id: &str) {
        let cancelled = self.lock().get(id).cloned();
        if let Some(cancelled) = cancelled {
            cancelled.cancel();
        }
    }

    /// Cancels every request, and removes all ids.
    fn cancel_all(&self) {
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
    #[cfg(feature = "rmcp")]
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
                // The outcome first: most are ready at once, and `wait` is not called then.
                biased;
                outcome = outcome => outcome,
                () = async { self.cancelled().wait().await } => Err(cancelled()),
            }
        };
        self.answer_now(outcome)
    }

    /// Returns the payload of a successful response.
    pub(crate) fn succeed(&self, result: &impl Serialize) -> Result<Payload, RpcError> {
        self.succeed_in(&Span::none(), AnyResult(result))
    }

    /// Returns the payload of a successful response, and records its size in the span of the call.
    pub(crate) fn succeed_in(
        &self,
        span: &Span,
        result: impl WriteResult,
    ) -> Result<Payload, RpcError> {
        let (payload, place) = result_payload(&self.id, result)
            .map_err(|error| RpcError::new(ErrorCode::INTERNAL, error.to_string()))?;
        if !span.is_disabled() {
            let result = || place.within(payload.as_str()).to_owned();
            record_result(span, place.size(&payload), result);
        }
        Ok(payload)
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
        if let Some(open) = calls.remove(&self.id)
            && !open.is_of(self.canceller.cancelled())
        {
            calls.insert(self.id.clone(), open);
        }
    }
}
