//! Changes of the servers of a running session.

use inhouse::error::ErrorKind;

use inhouse::options::McpServer;
use inhouse::tool::{Tool, ToolPermissionPolicy, ToolPolicy, ToolServer};
use inhouse::{Client, McpServers, Options};
use inhouse_testkit::FakeCli;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::probe::endless;
use crate::support::{call, code, exchange, request, text};

fn saying(name: &str, line: &'static str) -> ToolServer {
    ToolServer::new(name).tool(Tool::new("say", "Says its line", async move || line))
}

async fn set(client: &Client, servers: McpServers) {
    let reply = client.control().set_mcp_servers(servers).await;
    assert_eq!(reply.expect("the CLI agrees").added, ["it"]);
}

/// Expects `mcp_set_servers` and accepts it; returns the servers.
async fn changed(cli: &mut FakeCli) -> Value {
    let request = cli.expect_request("mcp_set_servers").await;
    let servers = request.body()["servers"].clone();
    let reply = json!({"added": ["it"], "removed": [], "errors": {}});
    request.succeed(reply).await;
    servers
}

async fn said(cli: &mut FakeCli, server: &str) -> Value {
    exchange(cli, server, call(1, "say", json!({}))).await
}

#[tokio::test(start_paused = true)]
async fn servers_are_added_replaced_and_removed() {
    let (next, mut turn) = tokio::sync::mpsc::unbounded_channel::<()>();
    FakeCli::play(
        Options::new()
            .tool_server(saying("old", "old"))
            .tool_server(saying("kept", "first")),
        async |client| {
            let servers = McpServers::new()
                .tool_server(saying("kept", "second"))
                .tool_server_as("new", saying("else", "new"))
                .mcp_server("files", McpServer::stdio("files-mcp"));
            turn.recv().await;
            set(client, servers).await;
            turn.recv().await;
            set(client, McpServers::new()).await;
            Ok(())
        },
        async |cli| {
            assert_eq!(said(cli, "old").await, text(1, "old"));
            assert_eq!(said(cli, "kept").await, text(1, "first"));
            next.send(()).unwrap();
            let servers = changed(cli).await;
            assert_eq!(servers["kept"], json!({"type": "sdk", "name": "kept"}));
            assert_eq!(servers["new"], json!({"type": "sdk", "name": "new"}));
            assert_eq!(servers["files"]["command"], "files-mcp");
            assert_eq!(servers.as_object().map(serde_json::Map::len), Some(3));
            // The servers are removed once the host has read the reply.
            while code_or_text(&said(cli, "old").await) == "old" {}
            assert_eq!(said(cli, "kept").await, text(1, "second"));
            assert_eq!(said(cli, "new").await, text(1, "new"));
            next.send(()).unwrap();
            assert_eq!(changed(cli).await, json!({}));
            while code_or_text(&said(cli, "new").await) == "new" {}
            assert_eq!(code(1, &said(cli, "kept").await), -32601);
        },
    )
    .await;
}

fn code_or_text(response: &Value) -> String {
    match response["result"]["content"][0]["text"].as_str() {
        Some(text) => text.to_owned(),
        None => code(1, response).to_string(),
    }
}

#[tokio::test(start_paused = true)]
async fn new_server_answers_before_the_cli_confirms() {
    FakeCli::play(
        Options::new(),
        async |client| {
            set(client, McpServers::new().tool_server(saying("new", "new"))).await;
            Ok(())
        },
        async |cli| {
            let change = cli.expect_request("mcp_set_servers").await;
            let begun = exchange(cli, "new", request(0, "initialize", json!({}))).await;
            assert_eq!(begun["result"]["serverInfo"]["name"], "new");
            assert_eq!(said(cli, "new").await, text(1, "new"));
            let reply = json!({"added": ["it"], "removed": [], "errors": {}});
            change.succeed(reply).await;
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn calls_of_a_removed_server_are_cancelled() {
    let (gone, mut on_gone) = endless("wait");
    let (replaced, mut on_replaced) = endless("wait");
    FakeCli::play(
        Options::new()
            .tool_server(ToolServer::new("gone").tool(gone))
            .tool_server(ToolServer::new("replaced").tool(replaced)),
        async |client| {
            assert_eq!(on_gone.next().await, "toolu_1 began");
            assert_eq!(on_replaced.next().await, "toolu_2 began");
            let servers = McpServers::new().tool_server(saying("replaced", "new"));
            set(client, servers).await;
            on_gone.expect_stopped("toolu_1").await;
            on_replaced.expect_stopped("toolu_2").await;
            Ok(())
        },
        async |cli| {
            let first = cli.begin_tool_call("gone", "wait", json!({})).await;
            let second = cli.begin_tool_call("replaced", "wait", json!({})).await;
            // Nothing but the request is sent before the CLI confirms.
            let change = cli.expect_request("mcp_set_servers").await;
            let asked = cli.ask(json!({"subtype": "no_such_thing"})).await;
            cli.expect_answer(&asked).await;
            let reply = json!({"added": ["it"], "removed": ["gone"], "errors": {}});
            change.succeed(reply).await;
            let mut answered = Vec::new();
            for _ in 0..2 {
                let (asked, answer) = cli.expect_any_answer().await;
                let call = if asked == first.request_id() {
                    &first
                } else {
                    &second
                };
                assert_eq!(code(call.id(), &answer.payload()["mcp_response"]), -32800);
                answered.push(asked);
            }
            assert!(answered.contains(&first.request_id().to_owned()));
            assert!(answered.contains(&second.request_id().to_owned()));
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn setting_the_same_servers_again_keeps_them() {
    let (wait, mut journal) = endless("wait");
    let (second, mut until_second) = oneshot::channel::<()>();
    FakeCli::play(
        Options::new(),
        async |client| {
            let servers = McpServers::new().tool_server(ToolServer::new("s").tool(wait));
            set(client, servers.clone()).await;
            assert_eq!(journal.next().await, "toolu_1 began");
            set(client, servers.tool_server(saying("new", "new"))).await;
            journal.expect_nothing();
            drop(second);
            Ok(())
        },
        async |cli| {
            changed(cli).await;
            cli.begin_tool_call("s", "wait", json!({})).await;
            changed(cli).await;
            assert_eq!(said(cli, "new").await, text(1, "new"));
            (&mut until_second).await.expect_err("it is only dropped");
            cli.ignore("control_response");
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn policies_apply_to_servers_added_later() {
    let policy = ToolPolicy::new("say", ToolPermissionPolicy::AlwaysDeny);
    FakeCli::play(
        Options::new(),
        async |client| {
            let server = saying("new", "new").policy(policy);
            set(client, McpServers::new().tool_server(server)).await;
            Ok(())
        },
        async |cli| {
            let tools = json!([{"name": "say", "permission_policy": "always_deny"}]);
            let config = json!({"type": "sdk", "name": "new", "tools": tools});
            assert_eq!(changed(cli).await, json!({"new": config}));
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn invalid_servers_are_rejected_and_nothing_changes() {
    let say = || Tool::new("say", "Says", async || "");
    let broken = Tool::with_schema("broken", "Broken", json!({"type": "string"}), async || ());
    let cases = [
        (
            McpServers::new().tool_server(ToolServer::new("s").tool(say()).tool(say())),
            "`say`",
        ),
        (
            McpServers::new().tool_server(ToolServer::new("s").tool(broken)),
            "`broken`",
        ),
        (
            McpServers::new()
                .tool_server(saying("twice", "a"))
                .tool_server(saying("twice", "b")),
            "`twice`",
        ),
        (
            McpServers::new()
                .mcp_server("twice", McpServer::stdio("twice-mcp"))
                .tool_server(saying("twice", "b")),
            "`twice`",
        ),
        (
            McpServers::new().tool_server(saying("", "a")),
            "tool_server",
        ),
    ];
    FakeCli::play(
        Options::new().tool_server(saying("s", "still here")),
        async |client| {
            for (servers, culprit) in cases {
                let refused = client.control().set_mcp_servers(servers).await;
                let error = refused.expect_err("these servers cannot be meant");
                assert_eq!(error.kind(), ErrorKind::Config, "{error}");
                assert!(error.to_string().contains(culprit), "{error}");
            }
            client.control().set_model(None).await.unwrap();
            Ok(())
        },
        async |cli| {
            // The first line of the host.
            cli.expect_request("set_model").await.succeed_empty().await;
            assert_eq!(said(cli, "s").await, text(1, "still here"));
        },
    )
    .await;
}
