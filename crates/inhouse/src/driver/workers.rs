use std::future::{Future, poll_fn};
use std::mem;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use inhouse_proto::control::incoming::Answer;
use inhouse_proto::engine::Ticket;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::AbortHandle;
use tracing::Instrument;

use crate::tool::catch_panic;

/// A handler at work.
pub(crate) type Answering = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// How many tasks are kept for the next handlers.
const KEPT: usize = 64;

/// The tasks in which handlers run.
///
/// A handler has a task to itself as long as it runs. The task then waits for the next one: to make it
/// costs more than most handlers do.
pub(super) struct Workers {
    idle: Vec<Worker>,
    answers: UnboundedSender<Answered>,
}

/// A task that runs a handler. Dropping it stops both.
pub(super) struct Worker {
    desk: Arc<Desk>,
    task: AbortHandle,
}

/// What a handler has come to.
pub(super) struct Answered {
    pub(super) ticket: Ticket,
    pub(super) answer: Answer,
    /// Whether its task can run another one.
    pub(super) is_free: bool,
}

impl Workers {
    /// None yet. Answers go to the sender.
    pub(super) fn new(answers: UnboundedSender<Answered>) -> Self {
        Self {
            idle: Vec::new(),
            answers,
        }
    }

    /// Runs a handler.
    pub(super) fn start(&mut self, ticket: Ticket, answering: Answering) -> Worker {
        let job = Job { ticket, answering };
        if let Some(worker) = self.idle.pop() {
            worker.desk.put(job);
            return worker;
        }
        let desk = Arc::new(Desk::with(job));
        let work = work(Arc::clone(&desk), self.answers.clone());
        let task = tokio::spawn(work.in_current_span()).abort_handle();
        Worker { desk, task }
    }

    /// Takes back one that is free.
    pub(super) fn keep(&mut self, worker: Worker) {
        if self.idle.len() < KEPT {
            self.idle.push(worker);
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Job {
    ticket: Ticket,
    answering: Answering,
}

/// Where a worker finds its next job.
struct Desk(Mutex<OnDesk>);

enum OnDesk {
    Job(Job),
    Nothing,
    /// The worker waits.
    Bell(Waker),
}

impl Desk {
    fn with(job: Job) -> Self {
        Self(Mutex::new(OnDesk::Job(job)))
    }

    fn put(&self, job: Job) {
        let before = mem::replace(&mut *self.lock(), OnDesk::Job(job));
        if let OnDesk::Bell(waker) = before {
            waker.wake();
        }
    }

    fn poll_take(&self, cx: &mut Context<'_>) -> Poll<Job> {
        let mut on_desk = self.lock();
        match mem::replace(&mut *on_desk, OnDesk::Nothing) {
            OnDesk::Job(job) => Poll::Ready(job),
            _ => {
                *on_desk = OnDesk::Bell(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    // Nothing in here can panic half-way through a change.
    fn lock(&self) -> MutexGuard<'_, OnDesk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn work(desk: Arc<Desk>, answers: UnboundedSender<Answered>) {
    loop {
        let Job { ticket, answering } = poll_fn(|cx| desk.poll_take(cx)).await;
        let promise = Promise {
            ticket: Some(ticket),
            answers: &answers,
        };
        let answer = catch_panic(answering).await.unwrap_or_else(|_| panicked());
        promise.keep(answer);
    }
}

/// Gives the answer of a handler, and an end to the ticket when its task is stopped.
struct Promise<'a> {
    ticket: Option<Ticket>,
    answers: &'a UnboundedSender<Answered>,
}

impl Promise<'_> {
    fn keep(mut self, answer: Answer) {
        self.give(answer, true);
    }

    fn give(&mut self, answer: Answer, is_free: bool) {
        if let Some(ticket) = self.ticket.take() {
            // Fails when the session is over, which wants no answers.
            let _ = self.answers.send(Answered {
                ticket,
                answer,
                is_free,
            });
        }
    }
}

impl Drop for Promise<'_> {
    fn drop(&mut self) {
        // Stopped, because the request was withdrawn or the session ends. An error would be taken for
        // a hook that has nothing against the call.
        self.give(Answer::Silence, false);
    }
}

fn panicked() -> Answer {
    tracing::error!("a handler panicked; the CLI is told that it failed");
    Answer::error("the handler of the host panicked")
}
