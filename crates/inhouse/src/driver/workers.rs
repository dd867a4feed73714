use std::future::{Future, poll_fn};
use std::mem;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};

use inhouse_proto::control::incoming::Answer;
use inhouse_proto::engine::Ticket;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::AbortHandle;
use tracing::Instrument;

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
    /// The task's own: whatever is dropped with it is dropped there.
    desk: Weak<Desk>,
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
        if let Some(worker) = self.idle.pop()
            && let Some(desk) = worker.desk.upgrade()
        {
            desk.put(job);
            return worker;
        }
        let desk = Arc::new(Desk {
            next: Mutex::new(OnDesk::Job(job)),
            answers: self.answers.clone(),
        });
        let worker = Arc::downgrade(&desk);
        let task = tokio::spawn(work(desk).in_current_span()).abort_handle();
        Worker { desk: worker, task }
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

/// Where a worker finds its next job, and where its answers go.
struct Desk {
    next: Mutex<OnDesk>,
    answers: UnboundedSender<Answered>,
}

enum OnDesk {
    Job(Job),
    Nothing,
    /// The worker waits.
    Bell(Waker),
}

impl Desk {
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
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        if let OnDesk::Job(job) = mem::replace(&mut *self.lock(), OnDesk::Nothing) {
            drop(Promise::new(job.ticket, &self.answers));
        }
    }
}

async fn work(desk: Arc<Desk>) {
    loop {
        let Job { ticket, answering } = poll_fn(|cx| desk.poll_take(cx)).await;
        let promise = Promise::new(ticket, &desk.answers);
        // Panics of user code are caught in `user_code`, which every handler goes through.
        let answer = answering.await;
        promise.keep(answer);
    }
}

/// Gives the answer of a handler, and an end to the ticket when its task is stopped.
struct Promise<'a> {
    ticket: Option<Ticket>,
    answers: &'a UnboundedSender<Answered>,
}

impl<'a> Promise<'a> {
    fn new(ticket: Ticket, answers: &'a UnboundedSender<Answered>) -> Self {
        Self {
            ticket: Some(ticket),
            answers,
        }
    }

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
        // A panic outside of user code is a bug of this crate; the CLI must not wait for ever.
        if std::thread::panicking() {
            return self.give(panicked(), false);
        }
        // Stopped, because the request was withdrawn or the session ends. An error would be taken for
        // a hook that has nothing against the call.
        self.give(Answer::Silence, false);
    }
}

fn panicked() -> Answer {
    tracing::error!("request handling panicked");
    Answer::error("the host panicked while it handled the request")
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::time::Instant;

    use inhouse_proto::engine::{Config, Engine, Event};
    use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

    use super::*;

    fn workers() -> (Workers, UnboundedReceiver<Answered>) {
        let (answer, answers) = unbounded_channel();
        (Workers::new(answer), answers)
    }

    fn ticket() -> Ticket {
        let mut engine = Engine::new(Config {
            max_line: 1024,
            ceiling: None,
        });
        let line = b"{\"type\":\"control_request\",\"request_id\":\"r\",\"request\":{}}\n";
        engine.space().extend_from_slice(line);
        engine.receive(Instant::now());
        match engine.poll_event() {
            Some(Event::Request(ticket, _)) => ticket,
            other => panic!("not a request: {other:?}"),
        }
    }

    fn alive() -> usize {
        tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks()
    }

    #[tokio::test]
    async fn task_runs_one_handler_after_another() {
        let (mut workers, mut answers) = workers();
        for _ in 0..2 {
            let worker = workers.start(ticket(), Box::pin(ready(Answer::Silence)));
            let answered = answers.recv().await.expect("an answer");
            assert!(answered.is_free);
            workers.keep(worker);
            assert_eq!(alive(), 1);
        }
    }

    #[tokio::test]
    async fn panic_outside_of_user_code_is_an_error_answer_and_ends_the_task() {
        let (mut workers, mut answers) = workers();
        let _worker = workers.start(ticket(), Box::pin(async { panic!("on purpose") }));
        let answered = answers.recv().await.expect("an answer");
        assert!(matches!(answered.answer, Answer::Error { .. }));
        assert!(!answered.is_free);
        tokio::task::yield_now().await;
        assert_eq!(alive(), 0);
    }

    #[tokio::test]
    async fn handlers_that_run_at_once_have_tasks_of_their_own() {
        let (mut workers, mut answers) = workers();
        let slow = workers.start(ticket(), Box::pin(pending()));
        let fast = workers.start(ticket(), Box::pin(ready(Answer::error("fast"))));
        let answered = answers.recv().await.expect("an answer");
        assert!(matches!(answered.answer, Answer::Error { .. }));
        assert_eq!(alive(), 2);
        drop((slow, fast));
    }

    #[tokio::test]
    async fn a_handler_that_is_stopped_says_nothing_and_its_task_is_gone() {
        let (mut workers, mut answers) = workers();
        let worker = workers.start(ticket(), Box::pin(ready(Answer::Silence)));
        answers.recv().await.expect("an answer");
        workers.keep(worker);
        // Stopped while it runs, before it runs on a task that was kept, and on a new one.
        for runs_before in [true, false, false] {
            let worker = workers.start(ticket(), Box::pin(pending()));
            if runs_before {
                tokio::task::yield_now().await;
            }
            drop(worker);
            let answered = answers.recv().await.expect("the ticket has an end");
            assert!(matches!(answered.answer, Answer::Silence));
            assert!(!answered.is_free);
        }
        tokio::task::yield_now().await;
        assert_eq!(alive(), 0);
    }
}
