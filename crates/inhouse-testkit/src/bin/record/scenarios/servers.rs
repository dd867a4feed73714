//! MCP servers.

use std::{convert::Infallible, fs, sync::Arc};

use inhouse::{Client, Options, options::McpServer};
use inhouse_testkit::Turn;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::Played;
use crate::setup::RecordingSetup;

/// A stdio server, written as a shell script.
pub(super) async fn mcp_stdio(setup: &RecordingSetup) -> Played {
    let script = setup.isolation.cwd().join("server.sh");
    fs::write(&script, include_str!("mcp_server.sh"))?;
    let server = McpServer::stdio("/bin/sh").args([script.display().to_string()]);
    let client = connect(setup, setup.options().mcp_server("calc", server)).await?;
    call_add(client).await
}

/// A server in the host process, reached by control requests.
pub(super) async fn mcp_in_process(setup: &RecordingSetup) -> Played {
    let config = setup.isolation.home().join("servers.json");
    let servers = json!({ "mcpServers": { "calc": { "type": "sdk", "name": "calc" } } });
    fs::write(&config, servers.to_string())?;
    let listed = Arc::new(Notify::new());
    let listing = Arc::clone(&listed);
    let options =
        setup
            .options()
            .mcp_config_file(config)
            .on_request("mcp_message", move |request: Value| {
                let message = &request["message"];
                if message["method"] == "tools/list" {
                    listing.notify_one();
                }
                let answer = json!({ "mcp_response": answer(message) });
                async { Ok::<_, Infallible>(answer) }
            });
    let client = connect(setup, options).await?;
    // With an earlier prompt, 2.1.197 sometimes connects twice.
    listed.notified().await;
    call_add(client).await
}

async fn connect(setup: &RecordingSetup, options: Options) -> inhouse::Result<Client> {
    let call =
        Turn::new().tool_use_with_id("toolu_1", "mcp__calc__add", json!({ "a": 15, "b": 27 }));
    setup.model.turn(call).turn("It is 42.");
    let options = options.allow_tools(["mcp__calc__add"]);
    setup.connect(options).await
}

async fn call_add(mut client: Client) -> Played {
    client.control().mcp_status().await?;
    client.send("What is 15 + 27?").await?.finish().await?;
    client.control().mcp_status().await?;
    client.close().await?;
    Ok(())
}

fn answer(message: &Value) -> Value {
    let result = match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "calc", "version": "1.0.0" },
        }),
        Some("tools/list") => json!({ "tools": [{
            "name": "add",
            "description": "Adds two numbers",
            "inputSchema": {
                "type": "object",
                "properties": { "a": { "type": "number" }, "b": { "type": "number" } },
                "required": ["a", "b"],
            },
            "annotations": { "readOnlyHint": true },
        }] }),
        Some("tools/call") => json!({ "content": [{ "type": "text", "text": "42" }] }),
        _ => json!({}),
    };
    json!({ "jsonrpc": "2.0", "id": message["id"].as_u64().unwrap_or(0), "result": result })
}
