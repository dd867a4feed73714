//! The parents, fields and status of spans.

use std::convert::Infallible;

use inhouse::message::Prompt;
use inhouse::tool::{Tool, ToolError, ToolServer};
use inhouse::{Client, ExitStatus, Options, query};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tracing::{Instrument, info_span};

use crate::recorder::Recorder;
use crate::support::{connect_with, failed, idle, result_with};

fn options() -> Options {
    let server = ToolServer::new("s")
        .tool(Tool::new("work", "Work", async || {
            info_span!("mine").in_scope(|| "done")
        }))
        .tool(Tool::new("fail", "Fail", async || {
            Err::<&str, _>(ToolError::new("no"))
        }));
    Options::new().tool_server(server)
}

/// Records the spans of a conversation, which is closed at its end.
async fn conversation(
    host: impl AsyncFnOnce(&mut Client),
    cli: impl AsyncFnOnce(&mut FakeCli),
) -> Recorder {
    conversation_with(options(), host, cli).await
}

async fn conversation_with(
    options: Options,
    host: impl AsyncFnOnce(&mut Client),
    cli: impl AsyncFnOnce(&mut FakeCli),
) -> Recorder {
    let (recorder, guard) = Recorder::install();
    let (transport, mut fake) = FakeCli::new();
    // Not `play`, which closes after the CLI's side has returned: that side answers what `close` sends.
    let host = async {
        let mut client = connect_with(options, transport).await;
        host(&mut client).await;
        client.close().await.unwrap();
    };
    let cli = async {
        fake.accept().await;
        cli(&mut fake).await;
        fake.expect_end_of_input().await;
    };
    join(host, cli).await;
    drop(guard);
    recorder
}

async fn ask(client: &mut Client) {
    let turn = client.send("Work!").await.unwrap();
    turn.finish().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn tool_span_is_a_child_of_its_turn() {
    let host = async |client: &mut Client| ask(client).instrument(info_span!("request")).await;
    let recorder = conversation(host, async |cli| {
        cli.expect_prompt().await;
        cli.call_tool("s", "work", json!({})).await;
        cli.turn("done").await;
    });
    let recorder = recorder.await;
    let turn = recorder.span("inhouse::turn");
    assert_eq!(turn.parent, Some("request"));
    let tool = recorder.span("inhouse::tool");
    assert!(tool.is_child_of(&turn), "{tool:#?}");
    assert!(recorder.span("mine").is_child_of(&tool));
    assert_eq!(tool.field("otel.name"), "execute_tool work");
    assert_eq!(tool.field("gen_ai.operation.name"), "execute_tool");
    assert_eq!(tool.field("server"), "s");
}

#[tokio::test(start_paused = true)]
async fn handler_runs_in_the_span_of_its_turn() {
    let options = Options::new().on_request("echo", async |request: Value| {
        drop(info_span!("mine"));
        Ok::<_, Infallible>(request)
    });
    let recorder = conversation_with(options, ask, async |cli| {
        cli.expect_prompt().await;
        let id = cli.ask(json!({"subtype": "echo"})).await;
        cli.expect_answer(&id).await;
        cli.turn("done").await;
    });
    assert_eq!(recorder.await.span("mine").parent, Some("inhouse::turn"));
}

#[tokio::test(start_paused = true)]
async fn turn_without_a_span_of_the_caller_is_a_child_of_its_session() {
    let recorder = conversation(ask, async |cli| {
        cli.expect_prompt().await;
        cli.turn("done").await;
    });
    let recorder = recorder.await;
    let session = recorder.span("inhouse::session");
    assert!(recorder.span("inhouse::turn").is_child_of(&session));
}

#[tokio::test(start_paused = true)]
async fn query_has_a_turn_below_its_session() {
    let (recorder, guard) = Recorder::install();
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let messages = query("Work!").options(options()).transport(transport);
        messages.await.unwrap().text().await.unwrap();
    };
    let cli = async {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.call_tool("s", "work", json!({})).await;
        cli.turn("done").await;
        cli.expect_end_of_input().await;
    };
    join(host.instrument(info_span!("request")), cli).await;
    drop(guard);
    let session = recorder.span("inhouse::session");
    assert_eq!(session.parent, Some("request"));
    let turn = recorder.span("inhouse::turn");
    assert!(turn.is_child_of(&session), "{turn:#?}");
    assert!(recorder.span("inhouse::tool").is_child_of(&turn));
}

#[tokio::test(start_paused = true)]
async fn tool_calls_belong_to_the_oldest_prompt_without_a_result() {
    let (through, until_through) = oneshot::channel::<()>();
    let host = async |client: &mut Client| {
        client.control().send("first").await.unwrap();
        client.control().send("second").await.unwrap();
        until_through.await.expect_err("it is only dropped");
    };
    let recorder = conversation(host, async |cli| {
        cli.expect_prompt().await;
        cli.expect_prompt().await;
        for answer in ["first", "second"] {
            cli.call_tool("s", "work", json!({})).await;
            cli.turn(answer).await;
        }
        cli.call_tool("s", "work", json!({})).await;
        drop(through);
        // The message of the last call looks like another turn.
        let interrupt = cli.expect_request("interrupt").await;
        interrupt.succeed_empty().await;
    });
    let recorder = recorder.await;
    let turns = recorder.spans("inhouse::turn");
    let tools = recorder.spans("inhouse::tool");
    assert_eq!((turns.len(), tools.len()), (2, 3));
    assert!(tools[0].is_child_of(&turns[0]), "{tools:#?}");
    assert!(tools[1].is_child_of(&turns[1]), "{tools:#?}");
    assert_eq!(tools[2].parent, Some("inhouse::session"), "no turn is open");
}

#[tokio::test(start_paused = true)]
async fn turn_and_session_have_id_model_usage_and_duration() {
    let mut id = String::new();
    let recorder = conversation(
        async |client| {
            ask(client).await;
            ask(client).await;
        },
        async |cli| {
            id = cli.session_id().to_owned();
            cli.expect_prompt().await;
            cli.turn("done").await;
            let prompt = cli.expect_prompt().await;
            let usage = |input, cost| {
                json!({"inputTokens": input, "cacheReadInputTokens": 20, "cacheCreationInputTokens": 300,
                    "outputTokens": 7, "costUSD": cost})
            };
            cli.init().await;
            cli.send(json!({
                "type": "result", "subtype": "success", "is_error": false, "result": "",
                "session_id": cli.session_id(), "user_message_uuid": prompt.uuid(), "num_turns": 3,
                "model_usage_since_last_result": {"opus": usage(1, 0.25), "haiku": usage(2, 0.5)},
            }))
            .await;
            cli.state("idle").await;
        },
    );
    let recorder = recorder.await;
    let turns = recorder.spans("inhouse::turn");
    let session = recorder.span("inhouse::session");
    for span in turns.iter().chain([&session]) {
        assert_eq!(span.field("gen_ai.conversation.id"), id);
        assert_eq!(span.field("gen_ai.request.model"), "claude-opus-5-5");
        assert_ne!(span.field("duration_ms"), "");
        assert_eq!(span.field("otel.status_code"), "");
        assert!(span.is_closed, "{span:#?}");
    }
    let expected = [
        ("gen_ai.operation.name", "invoke_agent"),
        ("gen_ai.usage.input_tokens", "643"),
        ("gen_ai.usage.output_tokens", "14"),
        ("gen_ai.usage.cache_read.input_tokens", "40"),
        ("gen_ai.usage.cache_creation.input_tokens", "600"),
        ("cost_usd", "0.75"),
        ("model_calls", "3"),
        ("outcome", "success"),
    ];
    for (field, value) in expected {
        assert_eq!(turns[1].field(field), value, "{field}");
    }
    assert_eq!(turns[0].field("cost_usd"), "0.000448");
    assert_eq!(session.field("gen_ai.usage.input_tokens"), "655");
    assert_eq!(session.field("cost_usd"), "0.750448");
    assert_eq!(session.field("turns"), "2");
}

#[tokio::test(start_paused = true)]
async fn failures_set_the_status() {
    let recorder = conversation(
        async |client| ask(client).await,
        async |cli| {
            cli.expect_prompt().await;
            cli.call_tool("s", "fail", json!({})).await;
            cli.error_result("error_max_turns", &["too many"]).await;
            cli.state("idle").await;
        },
    );
    let recorder = recorder.await;
    for (span, error) in [
        ("inhouse::tool", "error"),
        ("inhouse::turn", "error_max_turns"),
    ] {
        let span = recorder.span(span);
        assert_eq!(span.field("otel.status_code"), "ERROR", "{span:#?}");
        assert_eq!(span.field("otel.status_description"), error);
        assert_eq!(span.field("error.type"), error);
        assert_eq!(span.field("outcome"), "error");
    }
    let session = recorder.span("inhouse::session");
    assert_eq!(
        session.field("otel.status_code"),
        "",
        "a failed turn is no failed session"
    );
}

#[tokio::test(start_paused = true)]
async fn exit_in_a_turn_is_an_error_of_turn_and_session() {
    let (recorder, guard) = Recorder::install();
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect_with(options(), transport).await;
        let turn = client.send("Work!").await.unwrap();
        failed(turn.finish().await);
    };
    let cli = async {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.exit(ExitStatus::with_signal(9));
    };
    join(host, cli).await;
    drop(guard);
    for span in ["inhouse::turn", "inhouse::session"] {
        let span = recorder.span(span);
        assert_eq!(span.field("otel.status_code"), "ERROR", "{span:#?}");
        assert_eq!(span.field("error.type"), "Exited");
    }
    assert_eq!(
        recorder.span("inhouse::turn").field("outcome"),
        "unanswered"
    );
}

#[tokio::test(start_paused = true)]
async fn failed_connect_is_an_error_of_the_session() {
    let (recorder, guard) = Recorder::install();
    let (transport, _cli) = FakeCli::new();
    failed(Client::connect_with(Options::new().max_turns(0), transport).await);
    drop(guard);
    let session = recorder.span("inhouse::session");
    assert_eq!(session.field("error.type"), "Config", "{session:#?}");
    assert!(session.is_closed);
}

#[tokio::test(start_paused = true)]
async fn only_an_abandoned_turn_has_a_span_for_it() {
    let two_turns = async |cli: &mut FakeCli| {
        for _ in 0..2 {
            cli.expect_prompt().await;
            cli.turn("done").await;
        }
    };
    let read = async |client: &mut Client| {
        ask(client).await;
        ask(client).await;
    };
    let recorder = conversation(read, two_turns).await;
    assert!(recorder.spans("inhouse::abandoned_turn").is_empty());

    let abandon = async |client: &mut Client| {
        drop(client.send("Work!").await.unwrap());
        ask(client).await;
    };
    let recorder = conversation(abandon, two_turns).await;
    assert_eq!(recorder.spans("inhouse::abandoned_turn").len(), 1);
    let turns = recorder.spans("inhouse::turn");
    assert_eq!(turns[0].field("outcome"), "success", "the CLI answered it");
}

#[tokio::test(start_paused = true)]
async fn kept_control_does_not_keep_the_spans_open() {
    let mut kept = None;
    let host = async |client: &mut Client| {
        ask(client).await;
        kept = Some(client.control().clone());
    };
    let recorder = conversation(host, async |cli| {
        cli.expect_prompt().await;
        cli.turn("done").await;
    });
    let recorder = recorder.await;
    assert!(recorder.span("inhouse::session").is_closed);
    assert!(recorder.span("inhouse::turn").is_closed);
    drop(kept);
}

#[tokio::test(start_paused = true)]
async fn cancelled_prompt_is_unanswered_when_the_run_ends() {
    let (through, until_through) = oneshot::channel::<()>();
    let host = async |client: &mut Client| {
        client.control().send("cancelled").await.unwrap();
        client.control().send("answered").await.unwrap();
        until_through.await.expect_err("it is only dropped");
    };
    let recorder = conversation(host, async |cli| {
        cli.expect_prompt().await;
        let answered = cli.expect_prompt().await;
        cli.state("running").await;
        cli.send(json!({
            "type": "result", "subtype": "success", "is_error": false, "result": "",
            "session_id": cli.session_id(), "user_message_uuid": answered.uuid(), "queued_turn_count": 0,
        }))
        .await;
        cli.state("idle").await;
        cli.call_tool("s", "work", json!({})).await;
        drop(through);
        // The message of the last call looks like another turn.
        let interrupt = cli.expect_request("interrupt").await;
        interrupt.succeed_empty().await;
    });
    let recorder = recorder.await;
    let turns = recorder.spans("inhouse::turn");
    let outcomes: Vec<_> = turns.iter().map(|turn| turn.field("outcome")).collect();
    assert_eq!(outcomes, ["unanswered", "success"]);
    assert_eq!(turns[0].field("otel.status_code"), "", "it did not fail");
    let tool = recorder.span("inhouse::tool");
    assert_eq!(tool.parent, Some("inhouse::session"), "no turn is open");
}

#[tokio::test(start_paused = true)]
async fn prompt_that_starts_no_turn_has_no_span() {
    let host = async |client: &mut Client| {
        let context = Prompt::from("context").should_query(false);
        client.control().send(context).await.unwrap();
        ask(client).await;
    };
    let recorder = conversation(host, async |cli| {
        cli.expect_prompt().await;
        let prompt = cli.expect_prompt().await;
        let result = json!({"result": "", "user_message_uuid": prompt.uuid()});
        cli.send(result_with(cli, result)).await;
    });
    let turn = recorder.await.span("inhouse::turn");
    assert_eq!(turn.field("outcome"), "success");
}

#[tokio::test(start_paused = true)]
async fn result_that_names_no_prompts_ends_every_turn() {
    let (through, until_through) = oneshot::channel::<()>();
    let host = async |client: &mut Client| {
        client.control().send("first").await.unwrap();
        client.control().send("joins").await.unwrap();
        until_through.await.expect_err("it is only dropped");
    };
    let recorder = conversation(host, async |cli| {
        cli.expect_prompt().await;
        cli.expect_prompt().await;
        let usage = json!({"opus": {"inputTokens": 1, "outputTokens": 7, "costUSD": 0.25}});
        let result = json!({"result": "", "model_usage_since_last_result": usage});
        cli.send(result_with(cli, result)).await;
        idle().await;
        drop(through);
        // As far as results show it, a prompt is queued.
        let interrupt = cli.expect_request("interrupt").await;
        interrupt.succeed_empty().await;
    });
    let turns = recorder.await.spans("inhouse::turn");
    let fields = |name| {
        turns
            .iter()
            .map(|turn| turn.field(name))
            .collect::<Vec<_>>()
    };
    assert_eq!(fields("outcome"), ["success", "success"]);
    assert_eq!(fields("cost_usd"), ["0.25", ""]);
}
