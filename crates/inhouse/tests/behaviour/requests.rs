//! Requests of the CLI, and the handlers that answer them.

use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use inhouse::Options;
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::HostAnswer;
use inhouse_testkit::fake::join;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};

use crate::support::{connect_with, read, seconds, settle, settled, timed};

/// Keeps a session with these options open while the CLI's side runs.
async fn serve(options: Options, cli_part: impl AsyncFnOnce(&mut FakeCli)) {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect_with(options, transport).await;
        while client.messages().next().await.is_some() {}
    };
    let cli = async move {
        cli.accept().await;
        cli_part(&mut cli).await;
    };
    join(host, cli).await;
}

fn refusal(answer: HostAnswer) -> (String, Option<String>) {
    match answer {
        HostAnswer::Error { error, code } => (error, code),
        HostAnswer::Success(payload) => {
            panic!("the request must be refused, not answered with {payload}")
        }
    }
}

/// A handler that never answers, and reports its start and its drop.
fn endless(options: Options) -> (Options, mpsc::UnboundedReceiver<&'static str>) {
    struct ReportOnDrop(mpsc::UnboundedSender<&'static str>);

    impl Drop for ReportOnDrop {
        fn drop(&mut self) {
            let _ = self.0.send("dropped");
        }
    }

    let (sender, events) = mpsc::unbounded_channel();
    let options = options.on_request("wait", move |_: Value| {
        let sender = sender.clone();
        async move {
            sender.send("began").expect("the test holds the receiver");
            let _until_dropped = ReportOnDrop(sender);
            pending::<Result<Value, Infallible>>().await
        }
    });
    (options, events)
}

fn echo(options: Options) -> Options {
    options.on_request("echo", async |request: Value| {
        Ok::<_, Infallible>(request["word"].clone())
    })
}

async fn assert_echoes(cli: &mut FakeCli, word: &str) {
    let id = cli.ask(json!({"subtype": "echo", "word": word})).await;
    assert_eq!(cli.expect_answer(&id).await.payload(), word);
}

#[tokio::test(start_paused = true)]
async fn promise_08_concurrent_requests_get_their_own_answers_in_any_order() {
    const COUNT: u64 = 200;
    let next = watch::Sender::new(COUNT - 1);
    let options = Options::new().on_request("wait_for_turn", move |request: Value| {
        let next = next.clone();
        async move {
            let number = request["number"].as_u64().expect("a number");
            // Answered in reverse order, so that all have to run concurrently.
            let mut turns = next.subscribe();
            turns
                .wait_for(|turn| *turn == number)
                .await
                .expect("a turn");
            next.send_modify(|turn| *turn = turn.wrapping_sub(1));
            Ok::<_, Infallible>(json!({"number": number}))
        }
    });
    serve(options, async |cli| {
        let mut ids = Vec::new();
        for number in 0..COUNT {
            let request = json!({"subtype": "wait_for_turn", "number": number});
            ids.push(cli.ask(request).await);
        }
        for number in (0..COUNT).rev() {
            let (id, answer) = cli.expect_any_answer().await;
            assert_eq!(id, ids[number as usize]);
            assert_eq!(answer.payload(), json!({"number": number}));
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn promise_08_every_request_is_answered_once() {
    let options = echo(Options::new());
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect_with(options, transport).await;
        read(client.messages(), 1).await;
        settled(client.control()).await;
        client.close().await.unwrap();
    };
    let cli = async move {
        cli.accept().await;
        for word in ["a", "b", "c"] {
            assert_echoes(&mut cli, word).await;
        }
        cli.assistant("that was all").await;
        settle(&mut cli).await;
        // A second response to any of them would come before this.
        cli.expect_end_of_input().await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn slow_handler_delays_nothing() {
    let (options, mut events) = endless(echo(Options::new()));
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect_with(options, transport).await;
        assert_eq!(events.recv().await, Some("began"));
        settled(client.control()).await;
        assert_eq!(read(client.messages(), 1).await, ["said meanwhile"]);
        assert_eq!(
            client.send("hello").await.unwrap().text().await.unwrap(),
            "hi"
        );
    };
    let cli = async move {
        cli.accept().await;
        cli.ask(json!({"subtype": "wait"})).await;
        settle(&mut cli).await;
        assert_echoes(&mut cli, "meanwhile").await;
        cli.assistant("meanwhile").await;
        cli.expect_prompt().await;
        cli.result("hi").await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn handler_panic_is_an_error_response_and_the_session_survives() {
    let options = echo(Options::new())
        .on_request(
            "panic_late",
            async |_: Value| -> Result<Value, Infallible> { panic!("inside the future") },
        )
        .on_request(
            "panic_early",
            |_: Value| -> std::future::Ready<Result<Value, Infallible>> {
                panic!("before there is a future")
            },
        );
    serve(options, async |cli| {
        for subtype in ["panic_late", "panic_early"] {
            let id = cli.ask(json!({"subtype": subtype})).await;
            let (error, _) = refusal(cli.expect_answer(&id).await);
            assert!(error.contains("panicked"), "{error}");
            assert_echoes(cli, "still here").await;
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn handler_error_is_sent_to_the_cli() {
    let options = Options::new().on_request("fail", async |_: Value| {
        Err::<Value, _>("the vault is locked")
    });
    serve(options, async |cli| {
        let id = cli.ask(json!({"subtype": "fail"})).await;
        let (error, _) = refusal(cli.expect_answer(&id).await);
        assert_eq!(error, "the vault is locked");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn cancelled_request_drops_its_handler_and_gets_no_response() {
    let (options, mut events) = endless(echo(Options::new()));
    serve(options, async |cli| {
        let id = cli.ask(json!({"subtype": "wait"})).await;
        assert_eq!(events.recv().await, Some("began"));
        cli.cancel(&id).await;
        assert_eq!(events.recv().await, Some("dropped"));
        // A response to it would come before this one.
        assert_echoes(cli, "next").await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn cancel_stops_only_the_named_handler() {
    let (options, mut events) = endless(Options::new());
    serve(options, async |cli| {
        let first = cli.ask(json!({"subtype": "wait"})).await;
        assert_eq!(events.recv().await, Some("began"));
        cli.ask(json!({"subtype": "wait"})).await;
        assert_eq!(events.recv().await, Some("began"));
        cli.cancel("nobody").await;
        cli.cancel(&first).await;
        assert_eq!(events.recv().await, Some("dropped"));
        let id = cli.ask(json!({"subtype": "nothing"})).await;
        refusal(cli.expect_answer(&id).await);
        assert!(events.try_recv().is_err(), "the other handler still runs");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn duplicate_open_request_id_is_served_once() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let release = watch::Sender::new(false);
    let released = release.clone();
    let options = echo(Options::new()).on_request("count", move |_: Value| {
        counted.fetch_add(1, Ordering::Relaxed);
        let mut released = released.subscribe();
        async move {
            released
                .wait_for(|released| *released)
                .await
                .expect("a release");
            Ok::<_, Infallible>(json!("once"))
        }
    });
    serve(options, async |cli| {
        let line = json!({
            "type": "control_request",
            "request_id": "twice",
            "request": {"subtype": "count"},
        });
        cli.send(line.clone()).await;
        cli.send(line.clone()).await;
        assert_echoes(cli, "both have arrived").await;
        release.send_replace(true);
        assert_eq!(cli.expect_answer("twice").await.payload(), "once");
        assert_echoes(cli, "and no second answer").await;
        // After the response the id is free again.
        cli.send(line).await;
        assert_eq!(cli.expect_answer("twice").await.payload(), "once");
    })
    .await;
    assert_eq!(calls.load(Ordering::Relaxed), 2);
}

#[tokio::test(start_paused = true)]
async fn unhandled_request_is_refused_with_a_code() {
    serve(Options::new(), async |cli| {
        let id = cli.ask(json!({"subtype": "dance"})).await;
        let (error, code) = refusal(cli.expect_answer(&id).await);
        assert_eq!(code.as_deref(), Some("unsupported_request"));
        assert!(error.contains("dance"), "{error}");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn nothing_is_permitted_without_a_handler() {
    serve(Options::new(), async |cli| {
        let request = json!({
            "subtype": "can_use_tool",
            "tool_name": "Bash",
            "tool_use_id": "toolu_1",
            "input": {"command": "rm -rf /"},
        });
        let id = cli.ask(request).await;
        let (error, _) = refusal(cli.expect_answer(&id).await);
        assert!(error.contains("Bash"), "{error}");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn some_unhandled_requests_get_no_response() {
    serve(echo(Options::new()), async |cli| {
        for subtype in [
            "request_user_dialog",
            "remote_tool_call",
            "remote_plumbing_call",
            "remote_tools_probe",
            "remote_tools_reannounce",
        ] {
            cli.ask(json!({"subtype": subtype, "dialog_kind": "x", "payload": {}}))
                .await;
            assert_echoes(cli, subtype).await;
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn handler_can_answer_those_requests() {
    let options = Options::new().on_request("request_user_dialog", async |_: Value| {
        Ok::<_, Infallible>(json!({"behavior": "cancelled"}))
    });
    serve(options, async |cli| {
        let id = cli
            .ask(json!({"subtype": "request_user_dialog", "dialog_kind": "x", "payload": {}}))
            .await;
        let answer = cli.expect_answer(&id).await.payload();
        assert_eq!(answer["behavior"], "cancelled");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn request_without_body_is_answered_and_without_id_ignored() {
    serve(echo(Options::new()), async |cli| {
        cli.send(json!({"type": "control_request", "request": {"subtype": "echo"}}))
            .await;
        cli.send(json!({"type": "control_request", "request_id": "x"}))
            .await;
        assert!(matches!(
            cli.expect_answer("x").await,
            HostAnswer::Error { .. }
        ));
        cli.send(json!({"type": "control_cancel_request"})).await;
        assert_echoes(cli, "still here").await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn close_drops_handlers_at_once() {
    let (options, mut events) = endless(Options::new());
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = connect_with(options, transport).await;
        assert_eq!(events.recv().await, Some("began"));
        let (closed, (last, took)) = tokio::join!(client.close(), timed(events.recv()));
        closed.unwrap();
        assert_eq!((last, took), (Some("dropped"), seconds(0)));
    };
    let cli = async move {
        cli.accept().await;
        cli.ask(json!({"subtype": "wait"})).await;
        // The CLI exits late; the handlers are dropped before.
        cli.expect_terminate().await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn exit_of_the_cli_drops_handlers() {
    let (options, mut events) = endless(Options::new());
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect_with(options, transport).await;
        while client.messages().next().await.is_some() {}
    };
    let cli = async move {
        cli.accept().await;
        cli.ask(json!({"subtype": "wait"})).await;
        assert_eq!(events.recv().await, Some("began"));
        drop(cli);
        assert_eq!(events.recv().await, Some("dropped"));
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn request_that_cannot_be_parsed_is_refused_without_its_handler() {
    let called = Arc::new(AtomicUsize::new(0));
    let options = Options::new().on_request("echo", {
        let called = Arc::clone(&called);
        move |request: Value| {
            called.fetch_add(1, Ordering::SeqCst);
            async move { Ok::<_, Infallible>(request) }
        }
    });
    serve(options, async |cli| {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        let line = format!(
            r#"{{"type":"control_request","request_id":"deep","request":{{"subtype":"echo","word":{deep}}}}}"#
        );
        cli.send_bytes(format!("{line}\n").as_bytes()).await;
        let (error, _) = refusal(cli.expect_answer("deep").await);
        assert!(error.contains("echo") && error.contains("recursion limit"), "{error}");
    })
    .await;
    assert_eq!(called.load(Ordering::SeqCst), 0);
}
