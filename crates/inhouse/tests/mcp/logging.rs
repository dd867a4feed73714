//! Log messages of tools.

use std::sync::{Arc, Mutex};

use inhouse::Options;
use inhouse::tool::{LogLevel, McpClient, Tool, ToolServer};
use inhouse_testkit::FakeCli;
use serde::Serialize;
use serde_json::{Value, json};

use crate::support::{call, code, exchange, request, response, server_message, text};

/// Returns a server whose tool logs one message of each level.
fn logging_server() -> Options {
    let log = Tool::new("log", "Logs", async |client: McpClient| {
        for (level, data) in [
            (LogLevel::Debug, json!("details")),
            (LogLevel::Info, json!({"row": 7})),
            (LogLevel::Warning, json!(["a", 1])),
            (LogLevel::Emergency, json!(null)),
        ] {
            client.log(level, data);
        }
        "logged"
    });
    Options::new().tool_server(ToolServer::new("s").tool(log))
}

/// Calls the tool, and returns the level and data of the messages before its result.
async fn logged(cli: &mut FakeCli, id: u64, count: usize) -> Vec<(Value, Value)> {
    let asked = cli.mcp_message("s", call(id, "log", json!({}))).await;
    let mut messages = Vec::new();
    for _ in 0..count {
        let (server, message) = server_message(cli).await;
        assert_eq!(server, "s");
        assert_eq!(message["jsonrpc"], "2.0");
        assert_eq!(message["method"], "notifications/message");
        assert_eq!(message.get("id"), None, "a notification has no id");
        let params = &message["params"];
        messages.push((params["level"].clone(), params["data"].clone()));
    }
    assert_eq!(response(cli, &asked).await, text(id, "logged"));
    messages
}

#[tokio::test(start_paused = true)]
async fn server_declares_logging() {
    FakeCli::play_cli(logging_server(), async |cli| {
        let manifest = &cli.launched().initialize()["sdkMcpServerManifests"]["s"];
        let capabilities = &manifest["initializeResult"]["capabilities"];
        assert_eq!(capabilities["logging"], json!({}));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn every_message_is_sent_before_the_client_sets_a_level() {
    FakeCli::play_cli(logging_server(), async |cli| {
        assert_eq!(
            logged(cli, 1, 4).await,
            [
                (json!("debug"), json!("details")),
                (json!("info"), json!({"row": 7})),
                (json!("warning"), json!(["a", 1])),
                (json!("emergency"), json!(null)),
            ]
        );
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn messages_below_the_level_of_the_client_are_not_sent() {
    FakeCli::play_cli(logging_server(), async |cli| {
        let set = request(1, "logging/setLevel", json!({"level": "warning"}));
        let set = exchange(cli, "s", set).await;
        assert_eq!(set["result"], json!({}));
        let levels = logged(cli, 2, 2).await;
        assert_eq!(levels[0].0, "warning");
        assert_eq!(levels[1].0, "emergency");

        let set = request(3, "logging/setLevel", json!({"level": "info"}));
        exchange(cli, "s", set).await;
        assert_eq!(logged(cli, 4, 3).await[0].0, "info");

        // A new handshake is a new client, which has not set a level.
        exchange(cli, "s", request(0, "initialize", json!({}))).await;
        assert_eq!(logged(cli, 1, 4).await[0].0, "debug");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn invalid_level_is_rejected_and_changes_nothing() {
    FakeCli::play_cli(logging_server(), async |cli| {
        for (id, params) in [
            (1, json!({"level": "loud"})),
            (2, json!({})),
            (3, json!({"level": 7})),
        ] {
            let set = request(id, "logging/setLevel", params);
            let set = exchange(cli, "s", set).await;
            assert_eq!(code(id, &set), -32602);
        }
        logged(cli, 4, 4).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn message_after_the_end_of_the_call_is_dropped() {
    let kept = Arc::new(Mutex::new(None));
    let keep = Arc::clone(&kept);
    let tool = Tool::new(
        "keep",
        "Keeps the client",
        async move |client: McpClient| {
            *keep.lock().expect("the lock is not poisoned") = Some(client);
        },
    );
    let options = Options::new().tool_server(ToolServer::new("s").tool(tool));
    FakeCli::play_cli(options, async |cli| {
        exchange(cli, "s", call(1, "keep", json!({}))).await;
        let client = kept.lock().expect("the lock is not poisoned").take();
        client.expect("a client").log(LogLevel::Error, "late");
        // The next line is this response, and no log message.
        exchange(cli, "s", request(2, "ping", json!({}))).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn data_is_serialized_only_if_the_client_wants_it() {
    struct Unwanted;
    impl Serialize for Unwanted {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("serialized"))
        }
    }
    struct Panics;
    impl Serialize for Panics {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            panic!("a message below the level was serialized")
        }
    }
    let log = Tool::new("log", "Logs", async |client: McpClient| {
        client.log(LogLevel::Debug, Panics);
        // Invalid data is dropped, and harms nothing.
        client.log(LogLevel::Error, Unwanted);
        "logged"
    });
    let options = Options::new().tool_server(ToolServer::new("s").tool(log));
    FakeCli::play_cli(options, async |cli| {
        let set = request(1, "logging/setLevel", json!({"level": "error"}));
        exchange(cli, "s", set).await;
        let logged = exchange(cli, "s", call(2, "log", json!({}))).await;
        assert_eq!(logged, text(2, "logged"));
    })
    .await;
}
