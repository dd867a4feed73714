//! Server changes that the CLI has not confirmed, or refuses.

use std::time::Duration;

use inhouse::error::ErrorKind;
use inhouse::tool::{Tool, ToolServer};
use inhouse::{McpServers, Options};
use inhouse_testkit::FakeCli;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use crate::probe::{Journal, endless};
use crate::support::{call, code, exchange, text};

fn say(line: &'static str) -> Tool {
    Tool::new("say", "Says its line", async move || line)
}

fn saying(name: &str, line: &'static str) -> ToolServer {
    ToolServer::new(name).tool(say(line))
}

/// A server with a tool that returns its line, and a tool whose calls never end.
fn waiting(name: &str, line: &'static str) -> (ToolServer, Journal) {
    let (wait, journal) = endless("wait");
    (saying(name, line).tool(wait), journal)
}

async fn said(cli: &mut FakeCli, server: &str) -> Value {
    exchange(cli, server, call("say", "say", json!({}))).await
}

fn agreed() -> Value {
    json!({"added": [], "removed": [], "errors": {}})
}

#[tokio::test(start_paused = true)]
async fn refused_change_changes_nothing() {
    let (server, mut journal) = waiting("kept", "old");
    let (refused, mut until_refused) = oneshot::channel::<()>();
    FakeCli::play(
        Options::new().tool_server(server),
        async |client| {
            assert_eq!(journal.next().await, "toolu_1 began");
            let servers = McpServers::new()
                .tool_server(saying("kept", "new"))
                .tool_server(saying("more", "more"));
            let error = client.control().set_mcp_servers(servers).await;
            assert_eq!(error.expect_err("refused").kind(), ErrorKind::Refused);
            journal.expect_nothing();
            drop(refused);
            Ok(())
        },
        async |cli| {
            cli.begin_tool_call("kept", "wait", json!({})).await;
            let change = cli.expect_request("mcp_set_servers").await;
            assert_eq!(said(cli, "kept").await, text("say", "new"));
            assert_eq!(said(cli, "more").await, text("say", "more"));
            change.refuse("no", None).await;
            (&mut until_refused).await.expect_err("it is only dropped");
            assert_eq!(said(cli, "kept").await, text("say", "old"));
            assert_eq!(code("say", &said(cli, "more").await), -32601);
            cli.ignore("control_response");
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn dropped_change_future_changes_nothing() {
    let (server, mut journal) = waiting("kept", "old");
    let (asked, until_asked) = oneshot::channel::<()>();
    let (dropped, mut until_dropped) = oneshot::channel::<()>();
    FakeCli::play(
        Options::new().tool_server(server),
        async |client| {
            assert_eq!(journal.next().await, "toolu_1 began");
            let servers = McpServers::new().tool_server(saying("kept", "new"));
            tokio::select! {
                reply = client.control().set_mcp_servers(servers) => panic!("{reply:?}"),
                _ = until_asked => {}
            }
            journal.expect_nothing();
            drop(dropped);
            Ok(())
        },
        async |cli| {
            cli.begin_tool_call("kept", "wait", json!({})).await;
            let change = cli.expect_request("mcp_set_servers").await;
            drop(asked);
            (&mut until_dropped).await.expect_err("it is only dropped");
            cli.ignore("control_cancel_request");
            assert_eq!(said(cli, "kept").await, text("say", "old"));
            change.succeed(agreed()).await;
            cli.ignore("control_response");
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn concurrent_changes_are_serialized() {
    let (changed, mut changes) = mpsc::unbounded_channel::<()>();
    FakeCli::play(
        Options::new(),
        async |client| {
            let change = async |name| {
                let servers = McpServers::new().tool_server(saying(name, name));
                client.control().set_mcp_servers(servers).await.unwrap();
                changed.send(()).unwrap();
            };
            tokio::join!(change("first"), change("second"));
            Ok(())
        },
        async |cli| {
            let change = cli.expect_request("mcp_set_servers").await;
            assert_eq!(change.body()["servers"]["first"]["type"], "sdk");
            assert_eq!(code("say", &said(cli, "second").await), -32601);
            change.succeed(agreed()).await;
            let change = cli.expect_request("mcp_set_servers").await;
            assert_eq!(change.body()["servers"]["second"]["type"], "sdk");
            assert_eq!(said(cli, "first").await, text("say", "first"));
            change.succeed(agreed()).await;
            for _ in 0..2 {
                changes.recv().await.expect("both calls are made");
            }
            assert_eq!(said(cli, "second").await, text("say", "second"));
            assert_eq!(code("say", &said(cli, "first").await), -32601);
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn calls_of_a_replaced_server_run_until_the_cli_confirms() {
    let (server, mut journal) = waiting("it", "old");
    FakeCli::play(
        Options::new().tool_server(server),
        async |client| {
            assert_eq!(journal.next().await, "toolu_1 began");
            let servers = McpServers::new().tool_server(saying("it", "new"));
            client.control().set_mcp_servers(servers).await.unwrap();
            journal.expect_stopped("toolu_1").await;
            Ok(())
        },
        async |cli| {
            let open = cli.begin_tool_call("it", "wait", json!({})).await;
            let change = cli.expect_request("mcp_set_servers").await;
            // The next line: the open call is not answered before this.
            assert_eq!(said(cli, "it").await, text("say", "new"));
            change.succeed(agreed()).await;
            let answer = cli.expect_answer(open.request_id()).await.payload();
            assert_eq!(code(open.id(), &answer["mcp_response"]), -32800);
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn clone_is_the_same_server_until_it_is_changed() {
    let (server, mut journal) = waiting("it", "old");
    let clone = server.clone();
    FakeCli::play(
        Options::new().tool_server(server),
        async |client| {
            assert_eq!(journal.next().await, "toolu_1 began");
            let servers = McpServers::new().tool_server(clone.clone());
            client.control().set_mcp_servers(servers).await.unwrap();
            journal.expect_nothing();
            let other = clone.timeout(Duration::from_secs(1));
            let servers = McpServers::new().tool_server(other);
            client.control().set_mcp_servers(servers).await.unwrap();
            journal.expect_stopped("toolu_1").await;
            Ok(())
        },
        async |cli| {
            let open = cli.begin_tool_call("it", "wait", json!({})).await;
            for _ in 0..2 {
                let change = cli.expect_request("mcp_set_servers").await;
                change.succeed(agreed()).await;
            }
            let answer = cli.expect_answer(open.request_id()).await.payload();
            assert_eq!(code(open.id(), &answer["mcp_response"]), -32800);
        },
    )
    .await;
}
