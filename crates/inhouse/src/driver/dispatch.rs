use std::collections::HashMap;
use std::mem;
use std::task::{Context, Poll};

use foldhash::fast::RandomState;
use inhouse_proto::control::incoming::Answer;
use inhouse_proto::engine::{Request, Ticket};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::workers::{Answered, Worker, Workers};
use crate::handlers::Handlers;
use crate::mcp::Reply;

/// Runs a handler for each request of the CLI.
///
/// Every handler has a task to itself, so that none delays another, and every request gets exactly
/// one answer: its handler's, or, when the handler panics, an error. Only a request that the CLI
/// has withdrawn, or that is open when the session ends, gets none.
pub(super) struct Dispatch {
    handlers: Handlers,
    workers: Workers,
    running: HashMap<u64, Worker, RandomState>,
    /// How many handlers were started since answers were last held back, less those that have answered
    /// since then: about as many as may be about to.
    unanswered_starts: usize,
    answers: UnboundedReceiver<Answered>,
    /// Those that have arrived and are not taken, the first one last.
    arrived: Vec<Answered>,
}

/// How many answers are received together: those of a burst, and not so many that they would keep the
/// driver from everything else.
const AT_ONCE: usize = 64;

impl Dispatch {
    pub(super) fn new(handlers: Handlers) -> Self {
        let (answer, answers) = unbounded_channel();
        Self {
            handlers,
            workers: Workers::new(answer),
            running: HashMap::default(),
            unanswered_starts: 0,
            answers,
            arrived: Vec::new(),
        }
    }

    /// Starts a handler, or answers at once when there is none.
    pub(super) fn request(&mut self, ticket: Ticket, request: Request) -> Option<(Ticket, Answer)> {
        let answering = match self.handlers.start(&request) {
            Reply::Running(answering) => answering,
            Reply::Ready(answer) => return Some((ticket, answer)),
        };
        let serial = ticket.serial();
        let worker = self.workers.start(ticket, answering);
        self.running.insert(serial, worker);
        self.unanswered_starts += 1;
        None
    }

    /// Waits for answers; all of them are then to be [taken](Self::next_answer).
    pub(super) fn poll_answers(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let arrived = &mut self.arrived;
        self.answers
            .poll_recv_many(cx, arrived, AT_ONCE)
            .map(|count| {
                assert_ne!(count, 0, "a sender is kept here");
                debug_assert_eq!(count, arrived.len(), "all were taken before");
                arrived.reverse();
            })
    }

    /// The next of the answers that have arrived.
    pub(super) fn next_answer(&mut self) -> Option<(Ticket, Answer)> {
        let Answered {
            ticket,
            answer,
            is_free,
        } = self.arrived.pop()?;
        self.unanswered_starts = self.unanswered_starts.saturating_sub(1);
        // One that was cancelled is not there any more, whatever it has said last.
        let worker = self.running.remove(&ticket.serial());
        if let Some(worker) = worker.filter(|_| is_free) {
            self.workers.keep(worker);
        }
        Some((ticket, answer))
    }

    /// Whether handlers that were started together with those that have answered may be about to
    /// answer, too. Says so once: some of them may take their time.
    ///
    /// A runtime that prefers whoever was woken last would otherwise let every answer have a write of
    /// its own.
    pub(super) fn expects_more_at_once(&mut self) -> bool {
        mem::take(&mut self.unanswered_starts) > 0
    }

    /// Stops the handler of a request that the CLI has withdrawn.
    pub(super) fn cancel(&mut self, ticket: &Ticket) {
        self.running.remove(&ticket.serial());
    }

    /// Returns whether a handler runs.
    pub(super) fn is_busy(&self) -> bool {
        !self.running.is_empty()
    }

    /// Stops every handler.
    pub(super) fn cancel_all(&mut self) {
        self.running.clear();
    }
}

#[cfg(test)]
#[path = "dispatch_tests.rs"]
mod tests;
