use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;

use inhouse_proto::control::incoming::Answer;
use inhouse_proto::engine::{Request, Ticket};
use tokio::task::{AbortHandle, Id, JoinSet};
use tracing::Instrument;

use crate::handlers::Handlers;

/// A handler at work.
pub(crate) type Answering = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// Runs a handler for each request of the CLI.
///
/// Every handler has a task of its own, so that none delays another, and every request gets exactly
/// one answer: its handler's, or, when the handler panics, an error. Only a request that the CLI
/// itself has withdrawn gets none.
pub(super) struct Dispatch {
    handlers: Handlers,
    running: JoinSet<Answer>,
    tickets: HashMap<Id, Ticket>,
    aborts: HashMap<u64, AbortHandle>,
}

impl Dispatch {
    pub(super) fn new(handlers: Handlers) -> Self {
        Self {
            handlers,
            running: JoinSet::new(),
            tickets: HashMap::new(),
            aborts: HashMap::new(),
        }
    }

    /// Starts a handler, or answers at once when there is none.
    pub(super) fn request(&mut self, ticket: Ticket, request: Request) -> Option<(Ticket, Answer)> {
        match self.handlers.begin(&request) {
            Ok(answering) => {
                let abort = self.running.spawn(answering.in_current_span());
                self.aborts.insert(ticket.serial(), abort.clone());
                self.tickets.insert(abort.id(), ticket);
                None
            }
            Err(answer) => Some((ticket, answer)),
        }
    }

    /// Whether no handler is at work.
    pub(super) fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// The next answer that is ready. Losing the future loses no answer.
    pub(super) async fn next_answer(&mut self) -> (Ticket, Answer) {
        let Some(joined) = self.running.join_next_with_id().await else {
            return std::future::pending().await;
        };
        let (id, answer) = match joined {
            Ok((id, answer)) => (id, answer),
            Err(error) => (error.id(), unfinished(&error)),
        };
        let ticket = self
            .tickets
            .remove(&id)
            .expect("every handler was started with a ticket");
        self.aborts.remove(&ticket.serial());
        (ticket, answer)
    }

    /// Stops the handler of a request that the CLI has withdrawn.
    pub(super) fn cancel(&mut self, ticket: &Ticket) {
        if let Some(abort) = self.aborts.get(&ticket.serial()) {
            abort.abort();
        }
    }

    /// Stops every handler.
    pub(super) fn cancel_all(&mut self) {
        self.running.abort_all();
    }
}

fn unfinished(error: &tokio::task::JoinError) -> Answer {
    if error.is_panic() {
        tracing::error!("a handler panicked; the CLI is told that it failed");
        return Answer::error("the handler of the host panicked");
    }
    Answer::error("the handler of the host was cancelled")
}
