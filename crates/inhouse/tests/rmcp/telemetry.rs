//! Spans and log events of mounted servers.

use inhouse::{Options, query};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::json;
use tracing::Level;

use crate::listener::Listener;
use crate::notes::Notes;
use crate::recorder::Recorder;
use crate::support::play;

/// Runs one call, cancelled if it does not end by itself, and returns its log events.
async fn log_of_call(tool: &str, level: Level) -> String {
    let (make, mut journal) = Notes::factory();
    let listener = Listener::new(level);
    let guard = tracing::subscriber::set_default(listener.clone());
    play(Options::new().rmcp_server("notes", make), async |cli| {
        let asked = cli.begin_call(1, tool).await;
        if tool == "wait" {
            while journal.next().await != "wait has begun" {}
            let gone = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
            let cancel = cli.send(gone).await;
            cli.answers(2).await.remove(&cancel).expect("an acknowledgement");
        } else {
            cli.answer(&asked).await;
        }
    })
    .await;
    drop(guard);
    listener.text()
}

#[tokio::test]
async fn mounted_tool_span_has_the_outcome() {
    for (tool, outcome) in [
        ("count", "success"),
        ("refuse", "error"),
        ("panic", "panic"),
        ("wait", "cancelled"),
    ] {
        let text = log_of_call(tool, Level::DEBUG).await;
        for expected in [
            "server: \"notes\"".to_owned(),
            format!("gen_ai.tool.name: {tool:?}"),
            format!("outcome: {outcome:?}"),
            "duration_us: ".to_owned(),
            "arguments_bytes: 2".to_owned(),
        ] {
            assert!(text.contains(&expected), "no {expected} in {text}");
        }
        let is_failure = ["error", "panic"].contains(&outcome);
        assert_eq!(
            text.contains("otel.status_code: \"ERROR\""),
            is_failure,
            "{text}"
        );
        assert!(!text.contains("out of ink"), "the text of a panic: {text}");
    }
}

#[tokio::test]
async fn mounted_tool_result_is_rendered_only_at_trace() {
    let text = log_of_call("count", Level::TRACE).await;
    assert!(text.contains("result_bytes: "), "{text}");
    assert!(text.contains("tool returned"), "{text}");
    let text = log_of_call("panic", Level::TRACE).await;
    assert!(text.contains("out of ink"), "{text}");
}

#[tokio::test]
async fn mounted_tool_span_is_a_child_of_its_turn() {
    let (recorder, guard) = Recorder::install();
    let (make, _journal) = Notes::factory();
    let (transport, mut cli) = FakeCli::new();
    let options = Options::new().rmcp_server("notes", make);
    let host = async {
        let messages = query("Count!").options(options).transport(transport).await;
        messages.unwrap().text().await.unwrap();
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.call_tool("notes", "count", json!({})).await;
        cli.turn("done").await;
        cli.expect_end_of_input().await;
    };
    join(host, cli).await;
    drop(guard);
    let tool = recorder.span("inhouse::tool");
    assert_eq!(tool.parent, Some("inhouse::turn"));
    assert!(
        tool.is_child_of(&recorder.span("inhouse::turn")),
        "{tool:#?}"
    );
    assert_eq!(tool.field("gen_ai.tool.name"), "count");
    assert_eq!(tool.field("gen_ai.tool.call.id"), "toolu_1");
    assert!(tool.is_closed);
}
