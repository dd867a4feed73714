//! A CLI that makes the MCP handshake.

use std::sync::Arc;

use inhouse::tool::{Tool, ToolServer};
use inhouse::{Client, Options};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::probe::endless;
use crate::support::{call, code, exchange, notify, request, response, text};

fn greeter() -> ToolServer {
    let tool = Tool::new("greet", "Greets", async || "hello");
    ToolServer::new("greeter").tool(tool)
}

fn initialize(id: u64, version: &str) -> Value {
    let client = json!({"name": "claude-code", "title": "Claude Code", "version": "2.1.197"});
    let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
    request(id, "initialize", params)
}

#[tokio::test(start_paused = true)]
async fn handshake_and_manifest_agree() {
    let options = Options::new().tool_server(greeter());
    FakeCli::play_cli(options, async |cli| {
        let introduction = cli.launched().initialize().clone();
        let manifest = &introduction["sdkMcpServerManifests"]["greeter"];
        let begun = exchange(cli, "greeter", initialize(0, "2025-11-25")).await;
        let expected = json!({"jsonrpc": "2.0", "id": 0, "result": manifest["initializeResult"]});
        assert_eq!(begun, expected);
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        notify(cli, "greeter", initialized).await;
        let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        let listed = exchange(cli, "greeter", list).await;
        let expected = json!({"jsonrpc": "2.0", "id": 1, "result": manifest["toolsListResult"]});
        assert_eq!(listed, expected);
        let greeted = exchange(cli, "greeter", call(2, "greet", json!({}))).await;
        assert_eq!(greeted, text(2, "hello"));
        let alive = exchange(cli, "greeter", request(3, "ping", json!({}))).await;
        assert_eq!(alive, json!({"jsonrpc": "2.0", "id": 3, "result": {}}));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn known_versions_are_echoed_and_others_get_the_newest() {
    let options = Options::new().tool_server(greeter());
    FakeCli::play_cli(options, async |cli| {
        for (requested, version) in [
            ("2025-11-25", "2025-11-25"),
            ("2025-06-18", "2025-06-18"),
            ("2025-03-26", "2025-03-26"),
            ("2024-11-05", "2024-11-05"),
            ("2099-01-01", "2025-11-25"),
            ("", "2025-11-25"),
        ] {
            let begun = exchange(cli, "greeter", initialize(0, requested)).await;
            assert_eq!(begun["result"]["protocolVersion"], version, "{requested}");
        }
        for params in [json!({}), json!({"protocolVersion": 7}), json!([])] {
            let begun = exchange(cli, "greeter", request(0, "initialize", params)).await;
            assert_eq!(begun["result"]["protocolVersion"], "2025-11-25");
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn second_initialize_cancels_requests_and_frees_ids() {
    let (wait, mut journal) = endless("wait");
    let options = Options::new().tool_server(greeter().tool(wait));
    FakeCli::play_cli(options, async |cli| {
        let old = [0, 1].map(|id| call(id, "wait", json!({})));
        let mut asked = Vec::new();
        for message in old {
            asked.push(cli.mcp_message("greeter", message).await);
            assert_eq!(journal.next().await, " began");
        }
        let second = cli
            .mcp_message("greeter", initialize(0, "2025-11-25"))
            .await;
        let mut answers = std::collections::HashMap::new();
        for _ in 0..3 {
            let (id, answer) = cli.expect_any_answer().await;
            answers.insert(id, answer.payload()["mcp_response"].clone());
        }
        assert_eq!(code(0, &answers[&asked[0]]), -32800);
        assert_eq!(code(1, &answers[&asked[1]]), -32800);
        assert_eq!(answers[&second]["result"]["serverInfo"]["name"], "greeter");
        for id in [0, 1, 2] {
            let greeted = exchange(cli, "greeter", call(id, "greet", json!({}))).await;
            assert_eq!(greeted, text(id, "hello"));
        }
    })
    .await;
    journal.expect_stopped("").await;
    journal.expect_stopped("").await;
}

#[tokio::test(start_paused = true)]
async fn messages_before_the_initialize_reply_are_answered() {
    let (transport, mut cli) = FakeCli::new();
    let played = Arc::new(Notify::new());
    let host = async {
        let options = Options::new().tool_server(greeter());
        let client = Client::connect_with(options, transport).await.unwrap();
        played.notified().await;
        client.close().await.unwrap();
    };
    let cli = async {
        let introduction = cli.expect_request("initialize").await;
        let begun = exchange(&mut cli, "greeter", initialize(0, "2025-11-25")).await;
        assert_eq!(begun["result"]["serverInfo"]["name"], "greeter");
        let asked = cli
            .mcp_message("greeter", call(2, "greet", json!({})))
            .await;
        assert_eq!(response(&mut cli, &asked).await, text(2, "hello"));
        introduction.succeed(json!({})).await;
        played.notify_one();
        cli.expect_end_of_input().await;
        drop(cli);
    };
    join(host, cli).await;
}
