use std::future::{pending, ready};
use std::time::Instant;

use inhouse_proto::engine::{Config, Engine, Event};
use tokio::runtime::Handle;
use tokio::task::yield_now;

use super::*;
use crate::mcp::Bridge;
use crate::options::Options;
use crate::session::Session;

/// Returns the ticket of the first request of a new session.
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
        other => panic!("expected a request, got {other:?}"),
    }
}

fn pool() -> (WorkerPool, UnboundedReceiver<Completed>) {
    let (sender, completed) = unbounded_channel();
    (WorkerPool::new(sender), completed)
}

fn alive_tasks() -> usize {
    Handle::current().metrics().num_alive_tasks()
}

// A job that is given to an aborted task is never run, and its request never answered.
#[tokio::test]
async fn aborted_worker_is_not_reused() {
    let bridge = Arc::new(Bridge::new(Session::default()));
    let mut tasks = HandlerTasks::new(Handlers::new(&Options::new(), bridge, None));
    let worker = tasks.workers.start(ticket(), Box::pin(pending()));
    tasks.running.insert(ticket().serial(), worker);
    tasks.received.push(Completed {
        ticket: ticket(),
        answer: Answer::Silence,
        reusable: false,
    });
    tasks.next_answer().expect("an answer was received");
    // Dropping a worker aborts its task; an idle worker would keep it.
    yield_now().await;
    assert_eq!(alive_tasks(), 0);
}

#[tokio::test]
async fn task_is_reused_after_an_answer() {
    let (mut pool, mut completed) = pool();
    for _ in 0..2 {
        let worker = pool.start(ticket(), Box::pin(ready(Answer::Silence)));
        let answer = completed.recv().await.expect("an answer");
        assert!(answer.reusable);
        pool.idle(Some(worker));
        assert_eq!(alive_tasks(), 1);
    }
}

#[tokio::test]
async fn limited_number_of_idle_tasks_is_kept() {
    let (mut pool, mut completed) = pool();
    let workers: Vec<Worker> = (0..IDLE_WORKERS + 2)
        .map(|_| pool.start(ticket(), Box::pin(ready(Answer::Silence))))
        .collect();
    for worker in workers {
        completed.recv().await.expect("an answer");
        pool.idle(Some(worker));
    }
    yield_now().await;
    assert_eq!(alive_tasks(), IDLE_WORKERS);
}

#[tokio::test]
async fn panic_outside_of_user_code_is_an_error_answer_and_ends_the_task() {
    let (mut pool, mut completed) = pool();
    let _worker = pool.start(ticket(), Box::pin(async { panic!("on purpose") }));
    let answer = completed.recv().await.expect("an answer");
    assert!(matches!(answer.answer, Answer::Error { .. }));
    assert!(!answer.reusable);
    yield_now().await;
    assert_eq!(alive_tasks(), 0);
}

#[tokio::test]
async fn concurrent_handlers_run_in_separate_tasks() {
    let (mut pool, mut completed) = pool();
    let slow = pool.start(ticket(), Box::pin(pending()));
    let fast = pool.start(ticket(), Box::pin(ready(Answer::error("fast"))));
    let answer = completed.recv().await.expect("an answer");
    assert!(matches!(answer.answer, Answer::Error { .. }));
    assert_eq!(alive_tasks(), 2);
    drop((slow, fast));
}

#[tokio::test]
async fn aborted_handler_returns_its_ticket_silently_and_ends_its_task() {
    let (mut pool, mut completed) = pool();
    let worker = pool.start(ticket(), Box::pin(ready(Answer::Silence)));
    completed.recv().await.expect("an answer");
    pool.idle(Some(worker));
    // The first handler is aborted while it runs on the reused task. The others are queued for a new
    // task and aborted before it starts them; the second of them shows that the pool still works.
    for runs_before in [true, false, false] {
        let worker = pool.start(ticket(), Box::pin(pending()));
        if runs_before {
            yield_now().await;
        }
        drop(worker);
        let answer = completed.recv().await.expect("the ticket");
        assert!(matches!(answer.answer, Answer::Silence));
        assert!(!answer.reusable);
    }
    yield_now().await;
    assert_eq!(alive_tasks(), 0);
}
