//! Runs one handler task for each request of the CLI and collects the answers.

use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::mem;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};

use foldhash::fast::RandomState;
use inhouse_proto::control::incoming::{Answer, IncomingRequest};
use inhouse_proto::engine::Ticket;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::AbortHandle;
use tracing::{Instrument, Span};

use super::Driver;
use crate::handlers::Handlers;
use crate::mcp::Reply;

/// The future of a handler, which resolves to its answer.
pub(crate) type Answering = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// How many answers are received at once: those of a burst, but not so many that they delay reading
/// and writing.
const ANSWERS_AT_ONCE: usize = 64;

/// How many idle worker tasks are kept for later requests.
const IDLE_WORKERS: usize = 64;

impl Driver {
    /// Starts the handler of a request, or answers at once if that needs no handler.
    pub(super) fn handle_request(&mut self, ticket: Ticket, request: IncomingRequest) {
        // A closing session starts no more user code.
        if self.shutdown.close_requested() {
            return;
        }
        if let Some((ticket, answer)) =
            self.handlers
                .start(ticket, request, self.telemetry.current_turn())
        {
            self.engine.respond(ticket, answer);
        }
    }

    /// Collects the answers that are ready, which then go out in one write.
    ///
    /// Returns true if more answers are about to be ready. The driver then yields once before it
    /// writes: a multi-threaded runtime runs the task that was woken last first, and each answer
    /// would otherwise be written separately.
    pub(super) fn poll_answers(&mut self, cx: &mut Context<'_>) -> bool {
        let mut has_answers = false;
        while self.handlers.poll_answers(cx).is_ready() {
            // Notifications that a handler sent before its answer are written before it.
            self.handle_queued_commands();
            while let Some((ticket, answer)) = self.handlers.next_answer() {
                self.engine.respond(ticket, answer);
            }
            has_answers = true;
        }
        if has_answers && self.handlers.take_unanswered_starts() > 0 {
            cx.waker().wake_by_ref();
            return true;
        }
        false
    }
}

/// The running handlers of a session.
///
/// Each handler has a task to itself, so none delays another. Each request gets exactly one answer:
/// the handler's, or an error if the handler panics. Only a request that the CLI has withdrawn, or
/// that is open when the session ends, gets none.
pub(super) struct HandlerTasks {
    handlers: Handlers,
    workers: WorkerPool,
    running: HashMap<u64, Worker, RandomState>,
    /// The handlers started since [`take_unanswered_starts`](Self::take_unanswered_starts), minus
    /// the answers since then.
    unanswered_starts: usize,
    completed: UnboundedReceiver<Completed>,
    /// Received and not yet returned by [`next_answer`](Self::next_answer), in reverse order.
    received: Vec<Completed>,
}

impl HandlerTasks {
    pub(super) fn new(handlers: Handlers) -> Self {
        let (sender, completed) = unbounded_channel();
        Self {
            handlers,
            workers: WorkerPool::new(sender),
            running: HashMap::default(),
            unanswered_starts: 0,
            completed,
            received: Vec::new(),
        }
    }

    /// Starts a handler in the span of its turn, or returns the answer if it is known at once.
    fn start(
        &mut self,
        ticket: Ticket,
        request: IncomingRequest,
        turn: Option<&Span>,
    ) -> Option<(Ticket, Answer)> {
        let future = match self.handlers.start(request) {
            // Boxed a second time only if the turn has a span, so that other calls pay nothing.
            Reply::Running(future) => match turn {
                Some(turn) => Box::pin(future.instrument(turn.clone())),
                None => future,
            },
            Reply::Ready(answer) => return Some((ticket, answer)),
        };
        let serial = ticket.serial();
        let worker = self.workers.start(ticket, future);
        self.running.insert(serial, worker);
        self.unanswered_starts += 1;
        None
    }

    /// Receives answers; the caller must then take all of them with
    /// [`next_answer`](Self::next_answer).
    fn poll_answers(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let received = &mut self.received;
        self.completed
            .poll_recv_many(cx, received, ANSWERS_AT_ONCE)
            .map(|count| {
                assert_ne!(count, 0, "the pool holds a sender");
                debug_assert_eq!(count, received.len(), "all earlier answers were taken");
                received.reverse();
            })
    }

    fn next_answer(&mut self) -> Option<(Ticket, Answer)> {
        let completed = self.received.pop()?;
        self.unanswered_starts = self.unanswered_starts.saturating_sub(1);
        // The entry of a cancelled handler is gone; the engine ignores its answer.
        let worker = self.running.remove(&completed.ticket.serial());
        if completed.reusable {
            self.workers.idle(worker);
        }
        Some((completed.ticket, completed.answer))
    }

    /// Returns how many handlers may be about to answer, and resets the count: some of them may take
    /// long, and the driver must wait for them only once.
    fn take_unanswered_starts(&mut self) -> usize {
        mem::take(&mut self.unanswered_starts)
    }

    /// Drops the handler of a request that the CLI has withdrawn.
    pub(super) fn cancel(&mut self, ticket: &Ticket) {
        self.running.remove(&ticket.serial());
    }

    /// Drops every handler. None of them sends an answer.
    pub(super) fn cancel_all(&mut self) {
        self.running.clear();
    }

    pub(super) fn is_busy(&self) -> bool {
        !self.running.is_empty()
    }
}

/// The tasks that run handlers.
///
/// A task runs one handler at a time and is then reused, because spawning a task costs more than
/// most handlers do.
struct WorkerPool {
    idle: Vec<Worker>,
    completed: UnboundedSender<Completed>,
}

/// A task that runs a handler. Dropping it aborts the task and drops the handler.
struct Worker {
    /// Owned by the task, so that a queued handler is dropped in the task and not in the driver.
    slot: Weak<Slot>,
    task: AbortHandle,
}

/// The answer of a handler.
struct Completed {
    ticket: Ticket,
    answer: Answer,
    /// Whether the task can run another handler; false if it was aborted.
    reusable: bool,
}

impl WorkerPool {
    fn new(completed: UnboundedSender<Completed>) -> Self {
        Self {
            idle: Vec::new(),
            completed,
        }
    }

    fn start(&mut self, ticket: Ticket, future: Answering) -> Worker {
        let job = Job { ticket, future };
        if let Some(worker) = self.idle.pop()
            && let Some(slot) = worker.slot.upgrade()
        {
            slot.put(job);
            return worker;
        }
        let slot = Arc::new(Slot {
            state: Mutex::new(SlotState::Queued(job)),
            completed: self.completed.clone(),
        });
        Worker {
            slot: Arc::downgrade(&slot),
            task: tokio::spawn(work(slot).in_current_span()).abort_handle(),
        }
    }

    /// Keeps a worker whose handler has answered.
    fn idle(&mut self, worker: Option<Worker>) {
        if self.idle.len() < IDLE_WORKERS {
            self.idle.extend(worker);
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn work(slot: Arc<Slot>) {
    loop {
        let Job { ticket, future } = poll_fn(|cx| slot.poll_take(cx)).await;
        let guard = AnswerGuard::new(ticket, &slot.completed);
        // Panics of user code are caught in `user_code`, which every handler goes through.
        guard.send(future.await);
    }
}

struct Job {
    ticket: Ticket,
    future: Answering,
}

/// A mailbox for one job, from the driver to a worker's task.
struct Slot {
    state: Mutex<SlotState>,
    completed: UnboundedSender<Completed>,
}

enum SlotState {
    Queued(Job),
    Empty,
    /// The task waits for a job.
    Waiting(Waker),
}

impl Slot {
    fn put(&self, job: Job) {
        let before = mem::replace(&mut *self.lock(), SlotState::Queued(job));
        if let SlotState::Waiting(waker) = before {
            waker.wake();
        }
    }

    fn poll_take(&self, cx: &mut Context<'_>) -> Poll<Job> {
        let mut state = self.lock();
        match mem::replace(&mut *state, SlotState::Empty) {
            SlotState::Queued(job) => Poll::Ready(job),
            SlotState::Empty | SlotState::Waiting(_) => {
                *state = SlotState::Waiting(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    // No code that holds the lock can panic in the middle of a change.
    fn lock(&self) -> MutexGuard<'_, SlotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        // The task was aborted before it could take the job, whose ticket must still be returned.
        if let SlotState::Queued(job) = mem::replace(&mut *self.lock(), SlotState::Empty) {
            drop(AnswerGuard::new(job.ticket, &self.completed));
        }
    }
}

/// Returns a ticket to the driver: with an answer, or silently if it is dropped before.
struct AnswerGuard<'a> {
    ticket: Option<Ticket>,
    completed: &'a UnboundedSender<Completed>,
}

impl<'a> AnswerGuard<'a> {
    fn new(ticket: Ticket, completed: &'a UnboundedSender<Completed>) -> Self {
        Self {
            ticket: Some(ticket),
            completed,
        }
    }

    fn send(mut self, answer: Answer) {
        self.complete(answer, true);
    }

    fn complete(&mut self, answer: Answer, reusable: bool) {
        if let Some(ticket) = self.ticket.take() {
            // Fails if the session has ended.
            let _ = self.completed.send(Completed {
                ticket,
                answer,
                reusable,
            });
        }
    }
}

impl Drop for AnswerGuard<'_> {
    fn drop(&mut self) {
        // A panic outside of user code is a bug of this crate; the CLI must not wait forever.
        if std::thread::panicking() {
            tracing::error!("request handling panicked");
            let text = "the host panicked while it handled the request";
            return self.complete(Answer::error(text), false);
        }
        // The task was aborted, because the request was withdrawn or the session ends. No error is
        // sent: the CLI would treat one as no objection of a hook, and continue.
        self.complete(Answer::Silence, false);
    }
}

#[cfg(test)]
#[path = "handlers_tests.rs"]
mod tests;
