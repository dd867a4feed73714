use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use foldhash::fast::RandomState;
use inhouse_proto::control::incoming::Answer;
use inhouse_proto::engine::{Request, Ticket};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::AbortHandle;
use tracing::Instrument;

use crate::handlers::Handlers;
use crate::tool::catch_panic;

/// A handler at work.
pub(crate) type Answering = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// Runs a handler for each request of the CLI.
///
/// Every handler has a task of its own, so that none delays another, and every request gets exactly
/// one answer: its handler's, or, when the handler panics, an error. Only a request that the CLI
/// itself has withdrawn gets none, and one that is open when the session ends: its end refuses it.
pub(super) struct Dispatch {
    handlers: Handlers,
    running: HashMap<u64, AbortHandle, RandomState>,
    /// Handlers that were started and have not answered, since that was last of interest.
    unanswered_starts: usize,
    answer: UnboundedSender<(Ticket, Answer)>,
    answers: UnboundedReceiver<(Ticket, Answer)>,
}

/// Gives the answer of a handler, and an end to the ticket when its task is stopped.
struct Promise {
    ticket: Option<Ticket>,
    answer: UnboundedSender<(Ticket, Answer)>,
}

impl Dispatch {
    pub(super) fn new(handlers: Handlers) -> Self {
        let (answer, answers) = unbounded_channel();
        Self {
            handlers,
            running: HashMap::default(),
            unanswered_starts: 0,
            answer,
            answers,
        }
    }

    /// Starts a handler, or answers at once when there is none.
    pub(super) fn request(&mut self, ticket: Ticket, request: Request) -> Option<(Ticket, Answer)> {
        let answering = match self.handlers.begin(&request) {
            Ok(answering) => answering,
            Err(answer) => return Some((ticket, answer)),
        };
        let serial = ticket.serial();
        let promise = Promise {
            ticket: Some(ticket),
            answer: self.answer.clone(),
        };
        let handling = async move {
            let answer = catch_panic(answering).await.unwrap_or_else(|_| panicked());
            promise.keep(answer);
        };
        let task = tokio::spawn(handling.in_current_span());
        self.running.insert(serial, task.abort_handle());
        self.unanswered_starts += 1;
        None
    }

    /// The next answer, when it is ready.
    pub(super) fn poll_answer(&mut self, cx: &mut Context<'_>) -> Poll<(Ticket, Answer)> {
        let answer = ready!(self.answers.poll_recv(cx));
        let (ticket, answer) = answer.expect("a sender is kept here");
        self.running.remove(&ticket.serial());
        self.unanswered_starts = self.unanswered_starts.saturating_sub(1);
        Poll::Ready((ticket, answer))
    }

    /// Whether handlers that were started together with those that have answered may be about to
    /// answer, too. Says so once: some of them may take their time.
    ///
    /// A runtime that prefers whoever was woken last would otherwise let every answer have a write of
    /// its own.
    pub(super) fn expects_more_at_once(&mut self) -> bool {
        std::mem::take(&mut self.unanswered_starts) > 0
    }

    /// Stops the handler of a request that the CLI has withdrawn.
    pub(super) fn cancel(&mut self, ticket: &Ticket) {
        if let Some(task) = self.running.get(&ticket.serial()) {
            task.abort();
        }
    }

    /// Stops every handler.
    pub(super) fn cancel_all(&mut self) {
        for task in self.running.values() {
            task.abort();
        }
    }
}

impl Drop for Dispatch {
    fn drop(&mut self) {
        self.cancel_all();
    }
}

impl Promise {
    fn keep(mut self, answer: Answer) {
        self.give(answer);
    }

    fn give(&mut self, answer: Answer) {
        if let Some(ticket) = self.ticket.take() {
            // Fails when the session is over, which wants no answers.
            let _ = self.answer.send((ticket, answer));
        }
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        // Stopped, because the request was withdrawn or the session ends. An error would be taken for
        // a hook that has nothing against the call.
        self.give(Answer::Silence);
    }
}

fn panicked() -> Answer {
    tracing::error!("a handler panicked; the CLI is told that it failed");
    Answer::error("the handler of the host panicked")
}
