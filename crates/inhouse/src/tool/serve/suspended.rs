use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ::rmcp::model::{CallToolRequestParams, ErrorData, InputResponses};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::call::{Event, InputItem, OwnedCall};
use crate::tool::{ClientCapability, FinishedCall};

/// Limits how long the result of a suspended call is kept for a client that has not asked for it.
const RESULT_KEPT: Duration = Duration::from_secs(60);

/// The calls whose handlers wait for answers of clients of MCP 2026-07-28, by their `requestState`.
///
/// A client answers in a further call with that state, which may come over another connection. The state
/// is a random id, so a client cannot guess or forge one. A handler stops waiting at the timeout of
/// its request; its call is removed once it has ended.
#[derive(Default)]
pub(super) struct Suspended {
    calls: Mutex<HashMap<String, SuspendedCall>>,
}

struct SuspendedCall {
    request: CallToolRequestParams,
    /// The handler; dropping the set aborts it.
    handler: JoinSet<FinishedCall>,
    events: UnboundedReceiver<Event>,
    open: Vec<(String, InputItem)>,
    requests: u64,
    missing: Vec<ClientCapability>,
}

impl Suspended {
    /// Keeps a call until the client continues it; returns the state for the client.
    pub(super) fn suspend(
        self: &Arc<Self>,
        call: OwnedCall,
        request: CallToolRequestParams,
    ) -> String {
        let state = Uuid::new_v4().to_string();
        let ended = CancellationToken::new();
        let guard = ended.clone().drop_guard();
        let mut handler = JoinSet::new();
        handler.spawn(async move {
            let _guard = guard;
            call.handler.await
        });
        let suspended = SuspendedCall {
            request,
            handler,
            events: call.events,
            open: call.open,
            requests: call.requests,
            missing: call.missing,
        };
        self.lock().insert(state.clone(), suspended);
        let (calls, key) = (Arc::downgrade(self), state.clone());
        tokio::spawn(async move {
            ended.cancelled().await;
            tokio::time::sleep(RESULT_KEPT).await;
            let removed = calls.upgrade().and_then(|calls| calls.lock().remove(&key));
            // Dropped after the lock is released.
            drop(removed);
        });
        state
    }

    /// Continues the call that has this state with the answers of the client. Answers that are missing
    /// or invalid stay open.
    ///
    /// # Errors
    /// `INVALID_PARAMS` if there is no such call, or if it is another call than the client's.
    pub(super) fn resume(
        &self,
        state: &str,
        request: &CallToolRequestParams,
        answers: InputResponses,
    ) -> Result<OwnedCall, ErrorData> {
        let mut calls = self.lock();
        let suspended = calls.get(state);
        if suspended.is_none_or(|call| !is_same(&call.request, request)) {
            let text = "the request state is unknown or has expired, or is of another call";
            return Err(ErrorData::invalid_params(text, None));
        }
        let suspended = calls.remove(state).expect("the call was found");
        drop(calls);
        Ok(suspended.answered(answers))
    }

    // A poisoned table is still consistent: no method panics in the middle of a change.
    fn lock(&self) -> MutexGuard<'_, HashMap<String, SuspendedCall>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SuspendedCall {
    fn answered(self, mut answers: InputResponses) -> OwnedCall {
        let mut open = Vec::new();
        for (key, input) in self.open {
            match answers.remove(&key) {
                Some(answer) if input.capability.accepts(&answer) => {
                    // Fails if the handler has stopped waiting.
                    let _ = input.answer.send(answer);
                }
                _ => open.push((key, input)),
            }
        }
        let mut handler = self.handler;
        OwnedCall {
            handler: Box::pin(async move {
                match handler.join_next().await {
                    Some(Ok(finished)) => finished,
                    // The runtime shuts down: panics of handlers are caught, and nothing aborts them.
                    _ => std::future::pending().await,
                }
            }),
            events: self.events,
            open,
            requests: self.requests,
            missing: self.missing,
        }
    }
}

fn is_same(a: &CallToolRequestParams, b: &CallToolRequestParams) -> bool {
    a.name == b.name && a.arguments == b.arguments
}
