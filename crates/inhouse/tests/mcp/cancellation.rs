//! Cancellation of a call drops its handler.

use inhouse::tool::{Tool, ToolServer};
use inhouse::{Client, Options};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::FakeToolCall;
use inhouse_testkit::fake::join;
use serde_json::json;
use tokio::sync::oneshot;

use crate::probe::{Journal, endless};
use crate::support::{call, cancelled, code, exchange, text};

fn endless_server() -> (Options, Journal) {
    let (wait, journal) = endless("wait");
    let quick = Tool::new("quick", "Is quick", async || "done");
    let server = ToolServer::new("s").tool(wait).tool(quick);
    (Options::new().tool_server(server), journal)
}

/// Cancels a call as the CLI does, and expects that it is answered once.
async fn cancel(cli: &mut FakeCli, call: &FakeToolCall) {
    let notified = cli.mcp_message("s", cancelled(call.id())).await;
    let mut answered = Vec::new();
    for _ in 0..2 {
        let (asked, answer) = cli.expect_any_answer().await;
        let response = answer.payload()["mcp_response"].clone();
        if asked == notified {
            assert_eq!(response["result"], json!({}));
        } else {
            assert_eq!(code(call.id(), &response), -32800);
        }
        answered.push(asked);
    }
    assert!(answered.contains(&notified));
    assert!(answered.contains(&call.request_id().to_owned()));
}

#[tokio::test(start_paused = true)]
async fn promise_09_cancelled_call_is_dropped_and_answered_once() {
    let (options, mut journal) = endless_server();
    FakeCli::play_cli(options, async |cli| {
        let first = cli.begin_tool_call("s", "wait", json!({})).await;
        assert_eq!(journal.next().await, "toolu_1 began");
        let second = cli.begin_tool_call("s", "wait", json!({})).await;
        assert_eq!(journal.next().await, "toolu_2 began");

        cancel(cli, &first).await;
        journal.expect_stopped("toolu_1").await;
        let quick = cli.call_tool("s", "quick", json!({})).await;
        assert_eq!(quick.all_text(), "done");
        journal.expect_nothing();

        cancel(cli, &second).await;
        journal.expect_stopped("toolu_2").await;
        // The session ends without another line.
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn second_or_late_cancel_is_a_no_op() {
    let (options, mut journal) = endless_server();
    FakeCli::play_cli(options, async |cli| {
        let waiting = cli.begin_tool_call("s", "wait", json!({})).await;
        assert_eq!(journal.next().await, "toolu_1 began");
        cancel(cli, &waiting).await;
        let again = exchange(cli, "s", cancelled(waiting.id())).await;
        assert_eq!(again["result"], json!({}));
        let done = exchange(cli, "s", call(50, "quick", json!({}))).await;
        assert_eq!(done, text(50, "done"));
        let late = exchange(cli, "s", cancelled(50)).await;
        assert_eq!(late["result"], json!({}));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn promise_09_interrupt_forwarded_by_the_cli_drops_the_handler() {
    let (options, mut journal) = endless_server();
    FakeCli::play(
        options,
        async |client| {
            assert_eq!(journal.next().await, "toolu_1 began");
            client.control().interrupt().await.unwrap();
            journal.expect_stopped("toolu_1").await;
            Ok(())
        },
        async |cli| {
            let waiting = cli.begin_tool_call("s", "wait", json!({})).await;
            let interrupt = cli.expect_request("interrupt").await;
            interrupt.succeed(json!({"still_queued": []})).await;
            cancel(cli, &waiting).await;
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn cancelled_message_drops_the_handler_and_frees_its_id() {
    let (options, mut journal) = endless_server();
    FakeCli::play_cli(options, async |cli| {
        let waiting = cli.mcp_message("s", call(7, "wait", json!({}))).await;
        assert_eq!(journal.next().await, " began");
        cli.cancel(&waiting).await;
        journal.expect_stopped("").await;
        let done = exchange(cli, "s", call(7, "quick", json!({}))).await;
        assert_eq!(done, text(7, "done"));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn close_drops_every_handler() {
    let (options, mut journal) = endless_server();
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = Client::connect_with(options, transport).await.unwrap();
        assert_eq!(journal.next().await, "toolu_1 began");
        assert_eq!(journal.next().await, "toolu_2 began");
        client.close().await.unwrap();
        let mut stopped = Vec::new();
        for _ in 0..4 {
            stopped.push(journal.next().await);
        }
        stopped.sort();
        let expected = [
            "toolu_1 cancelled",
            "toolu_1 dropped",
            "toolu_2 cancelled",
            "toolu_2 dropped",
        ];
        assert_eq!(stopped, expected);
    };
    let cli = async move {
        cli.accept().await;
        cli.begin_tool_call("s", "wait", json!({})).await;
        cli.begin_tool_call("s", "wait", json!({})).await;
        cli.expect_end_of_input().await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn dropping_the_client_drops_every_handler() {
    let (options, mut journal) = endless_server();
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = Client::connect_with(options, transport).await.unwrap();
        assert_eq!(journal.next().await, "toolu_1 began");
        drop(client);
        journal.expect_stopped("toolu_1").await;
    };
    let cli = async move {
        cli.accept().await;
        cli.begin_tool_call("s", "wait", json!({})).await;
        cli.expect_end_of_input().await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn exit_of_the_cli_drops_its_calls() {
    let (options, mut journal) = endless_server();
    let (transport, mut cli) = FakeCli::new();
    let (began, until_began) = oneshot::channel::<()>();
    let host = async {
        let _client = Client::connect_with(options, transport).await.unwrap();
        assert_eq!(journal.next().await, "toolu_1 began");
        drop(began);
        journal.expect_stopped("toolu_1").await;
    };
    let cli = async move {
        cli.accept().await;
        cli.begin_tool_call("s", "wait", json!({})).await;
        until_began.await.expect_err("it is only dropped");
        cli.exit(inhouse::ExitStatus::with_code(1));
    };
    join(host, cli).await;
}
