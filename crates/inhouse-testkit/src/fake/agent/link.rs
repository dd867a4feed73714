use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::fake::conversation::Failure;
use crate::fake::host::HostAnswer;
use crate::fake::session::fresh_id;
use crate::fake::stdio::Output;

/// The lines to the host, and the requests that it has not answered.
pub(super) struct Link {
    output: Output,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    requests: Vec<OpenRequest>,
    closed: bool,
}

struct OpenRequest {
    id: String,
    answer: oneshot::Sender<HostAnswer>,
    /// The request that cancels this one; `None` for a `control_cancel_request`.
    cancel: Option<Value>,
}

impl Link {
    pub(super) fn new(output: Output) -> Self {
        Self {
            output,
            open: Mutex::default(),
        }
    }

    pub(super) async fn send(&self, line: &Value) -> Result<(), Failure> {
        self.output.line(line).await
    }

    /// Sends a request and waits for its answer; an error if the input has ended or the request is cancelled.
    pub(super) async fn request(&self, request: Value) -> Result<HostAnswer, Failure> {
        let answer = self.begin_request(request).await?;
        Ok(answer.await.unwrap_or_else(|_| closed()))
    }

    /// Sends a request that another one cancels, and waits for its answer.
    pub(super) async fn cancellable_request(
        &self,
        request: Value,
        cancel: Value,
    ) -> Result<HostAnswer, Failure> {
        let answer = self.begin(request, Some(cancel)).await?;
        Ok(answer.await.unwrap_or_else(|_| closed()))
    }

    /// Sends a request without waiting for its answer, which never comes if the input has ended.
    pub(super) async fn begin_request(
        &self,
        request: Value,
    ) -> Result<oneshot::Receiver<HostAnswer>, Failure> {
        self.begin(request, None).await
    }

    async fn begin(
        &self,
        request: Value,
        cancel: Option<Value>,
    ) -> Result<oneshot::Receiver<HostAnswer>, Failure> {
        let id = fresh_id();
        let (answer, receiver) = oneshot::channel();
        let line = json!({"type": "control_request", "request_id": id, "request": request});
        self.add(OpenRequest { id, answer, cancel });
        self.send(&line).await?;
        Ok(receiver)
    }

    fn add(&self, request: OpenRequest) {
        let mut open = self.open();
        if !open.closed {
            open.requests.push(request);
        }
    }

    /// Passes an answer of the host to the request that waits for it; answers to cancelled requests are dropped.
    pub(super) fn answered(&self, line: &Value) {
        let Some((id, answer)) = HostAnswer::read(line) else {
            return;
        };
        let mut open = self.open();
        if let Some(at) = open.requests.iter().position(|open| open.id == id) {
            // The receiver is gone if the turn was interrupted.
            let _ = open.requests.remove(at).answer.send(answer);
        }
    }

    /// Cancels all open requests.
    pub(super) async fn cancel_all(&self) -> Result<(), Failure> {
        let cancelled = std::mem::take(&mut self.open().requests);
        for OpenRequest { id, cancel, .. } in cancelled {
            let line = match cancel {
                Some(request) => {
                    json!({"type": "control_request", "request_id": fresh_id(), "request": request})
                }
                None => json!({"type": "control_cancel_request", "request_id": id}),
            };
            self.send(&line).await?;
        }
        Ok(())
    }

    /// Fails all open and later requests: the host cannot answer any more.
    pub(super) fn close(&self) {
        let mut open = self.open();
        open.closed = true;
        open.requests.clear();
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The answer to a request that the host cannot answer any more.
fn closed() -> HostAnswer {
    HostAnswer::Error {
        error: "Stream closed".to_owned(),
        code: None,
    }
}
