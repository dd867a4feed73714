//! The `tracing` spans and events of tool calls.

use std::future::{Future, pending};
use std::task::{Context, Poll, Waker};

use inhouse::tool::{Input, Tool, ToolError, ToolServer};
use inhouse::{Client, Options};
use inhouse_testkit::FakeCli;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tracing::Level;

use crate::listener::Listener;

const SECRET: &str = "sk-hunter2-do-not-tell";

fn server() -> ToolServer {
    let any = json!({"type": "object"});
    let echo = async |Input(value): Input<Value>| value.to_string();
    ToolServer::new("s")
        .tool(Tool::with_schema("echo", "Echo", any, echo))
        .tool(Tool::new("fail", "Fail", async || -> Result<(), _> {
            Err(ToolError::new(SECRET))
        }))
        .tool(Tool::new("boom", "Boom", async || -> String {
            panic!("{SECRET}")
        }))
        .tool(Tool::new("wait", "Wait", async || pending::<()>().await).concurrency(1))
}

/// Calls a tool through a fake CLI, and returns the length of the result.
async fn call(tool: &str, arguments: Value) -> usize {
    let (transport, mut cli) = FakeCli::new();
    let (through, until_through) = oneshot::channel::<()>();
    let host = async {
        let options = Options::new().tool_server(server());
        let client = Client::connect_with(options, transport).await.unwrap();
        until_through.await.expect_err("it is only dropped");
        client.close().await.unwrap();
    };
    let cli = async move {
        cli.accept().await;
        let result = cli.call_tool("s", tool, arguments).await;
        drop(through);
        cli.expect_end_of_input().await;
        serde_json::to_string(&result).expect("JSON").len()
    };
    tokio::join!(host, cli).1
}

#[tokio::test]
async fn info_has_the_outcome_and_no_contents() {
    let listener = Listener::new(Level::DEBUG);
    let guard = tracing::subscriber::set_default(listener.clone());
    for (tool, outcome) in [("echo", "success"), ("fail", "error"), ("boom", "panic")] {
        let before = listener.text().len();
        server().call(tool, json!({"word": SECRET})).await;
        let text = listener.text().split_off(before);
        assert!(
            text.contains(&format!("gen_ai.tool.name: {tool:?}")),
            "{text}"
        );
        assert!(text.contains(&format!("outcome: {outcome:?}")), "{text}");
        assert!(text.contains("duration_us: "), "{text}");
    }
    drop(guard);
    let text = listener.text();
    assert!(text.contains("tool panicked"), "{text}");
    assert!(!text.contains(SECRET), "{text}");
}

#[tokio::test]
async fn panic_text_is_logged_at_trace() {
    let listener = Listener::new(Level::TRACE);
    let guard = tracing::subscriber::set_default(listener.clone());
    let result = server().call("boom", json!({})).await;
    drop(guard);
    assert!(!result.all_text().contains(SECRET));
    let text = listener.text();
    assert!(text.contains(&format!("panic: {SECRET:?}")), "{text}");
}

#[tokio::test]
async fn sizes_are_recorded_and_contents_only_at_trace() {
    let listener = Listener::new(Level::TRACE);
    let guard = tracing::subscriber::set_default(listener.clone());
    let arguments = json!({"word": SECRET});
    let size = arguments.to_string().len();
    let result_size = call("echo", arguments).await;
    drop(guard);
    let text = listener.text();
    let sizes = [
        format!("arguments_bytes: {size}\n"),
        format!("result_bytes: {result_size}\n"),
    ];
    for size in sizes {
        assert!(text.contains(&size), "no {size} in {text}");
    }
    assert!(text.contains("tool called"), "{text}");
    assert!(text.contains("tool returned"), "{text}");
    assert_eq!(text.matches(SECRET).count(), 2, "{text}");
}

#[tokio::test]
async fn dropped_call_is_recorded_as_cancelled() {
    let server = server();
    let listener = Listener::new(Level::INFO);
    let guard = tracing::subscriber::set_default(listener.clone());
    let mut cx = Context::from_waker(Waker::noop());
    let mut running = Box::pin(server.call("wait", json!({})));
    let mut in_line = Box::pin(server.call("wait", json!({})));
    for call in [&mut running, &mut in_line] {
        assert!(matches!(call.as_mut().poll(&mut cx), Poll::Pending));
    }
    assert!(!listener.text().contains("outcome"), "{}", listener.text());
    drop((in_line, running));
    drop(guard);
    let text = listener.text();
    assert_eq!(text.matches("outcome: \"cancelled\"").count(), 2, "{text}");
    assert_eq!(text.matches("duration_us: ").count(), 2, "{text}");
}

#[tokio::test]
async fn response_to_an_unknown_request_is_logged() {
    let listener = Listener::new(Level::DEBUG);
    let guard = tracing::subscriber::set_default(listener.clone());
    let response = r#"{"jsonrpc":"2.0","id":"inhouse-7","result":{}}"#;
    assert_eq!(server().router().handle(response).await, None);
    drop(guard);
    let text = listener.text();
    assert!(
        text.contains("answered a request that is not open"),
        "{text}"
    );
    assert!(text.contains("inhouse-7"), "{text}");
}
