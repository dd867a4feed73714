use std::future::pending;
use std::sync::Arc;
use std::time::Instant;

use inhouse_proto::engine::{Config, Engine, Event};
use tokio::runtime::Handle;
use tokio::task::yield_now;

use super::*;
use crate::mcp::Bridge;
use crate::options::Options;
use crate::session::Session;

/// The ticket of the first request of a new session.
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

// A job that is given to a stopped task is never run, and its request never answered.
#[tokio::test]
async fn stopped_worker_is_not_reused() {
    let bridge = Arc::new(Bridge::new(Session::default()));
    let mut dispatch = Dispatch::new(Handlers::new(&Options::new(), bridge));
    let worker = dispatch.workers.start(ticket(), Box::pin(pending()));
    dispatch.running.insert(ticket().serial(), worker);
    dispatch.arrived.push(Answered {
        ticket: ticket(),
        answer: Answer::Silence,
        is_free: false,
    });
    dispatch.next_answer().expect("it has arrived");
    // A worker that is dropped stops its task, and one that is kept does not.
    yield_now().await;
    assert_eq!(Handle::current().metrics().num_alive_tasks(), 0);
}
