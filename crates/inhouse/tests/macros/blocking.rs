//! `#[tool(blocking)]`: functions that run on the blocking thread pool.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;

use inhouse::tool;
use inhouse::tool::{Json, State, Tool, ToolServer};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

#[derive(Clone)]
struct Rendezvous {
    arrived: Sender<ThreadId>,
    go: Arc<Mutex<Receiver<()>>>,
}

/// Wait for a signal.
#[tool(blocking)]
fn wait(State(rendezvous): State<Rendezvous>, word: String) -> String {
    let _ = rendezvous.arrived.send(std::thread::current().id());
    let go = rendezvous.go.lock().unwrap();
    go.recv().map_or_else(|_| "no signal".to_owned(), |()| word)
}

#[derive(Serialize, JsonSchema)]
struct Found {
    count: usize,
}

/// Find nothing.
#[tool(blocking, read_only)]
fn find() -> Json<Found> {
    Json(Found { count: 0 })
}

/// Panic.
#[tool(blocking)]
fn panic() -> u8 {
    panic!("oh no")
}

// With one async thread, the signal could not be sent if the tool ran on it.
#[tokio::test(flavor = "current_thread")]
async fn blocking_tool_does_not_block_the_runtime() {
    let ((arrived, arrivals), (say_go, go)) = (channel(), channel());
    let rendezvous = Rendezvous {
        arrived,
        go: Arc::new(Mutex::new(go)),
    };
    let server = ToolServer::with_state("test", rendezvous).tool(wait::tool());
    let (result, ()) = tokio::join!(server.call("wait", json!({"word": "now"})), async {
        say_go.send(()).unwrap();
    });
    assert_eq!(result.all_text(), "now");
    assert_ne!(arrivals.recv().unwrap(), std::thread::current().id());
}

#[tokio::test]
async fn blocking_tool_has_an_output_schema() {
    let tool: Tool = find::tool();
    let schema = tool.definition().output_schema.clone().unwrap();
    assert_eq!(schema["required"], json!(["count"]));
    let result = ToolServer::new("test")
        .tool(tool)
        .call("find", json!({}))
        .await;
    assert_eq!(result.structured_content, Some(json!({"count": 0})));
}

#[tokio::test]
async fn panic_of_a_blocking_tool_is_an_error() {
    let result = ToolServer::new("test")
        .tool(panic::tool())
        .call("panic", json!({}))
        .await;
    assert!(result.is_error);
    assert_eq!(result.all_text(), "the tool `panic` failed: it panicked");
}
