//! JSON-RPC ids that the CLI uses again after a new handshake.

use std::collections::HashMap;

use inhouse::Options;
use inhouse::tool::ToolServer;
use inhouse_testkit::FakeCli;
use serde_json::{Value, json};

use crate::probe::endless;
use crate::support::{cancelled, code, request};

/// A control request that carries a message for the server `s`.
fn line(id: &str, message: Value) -> String {
    let request = json!({"subtype": "mcp_message", "server_name": "s", "message": message});
    let line = json!({"type": "control_request", "request_id": id, "request": request});
    format!("{line}\n")
}

fn wait(tool_use: &str) -> Value {
    let meta = json!({"claudecode/toolUseId": tool_use});
    let params = json!({"name": "wait", "arguments": {}, "_meta": meta});
    request(7, "tools/call", params)
}

/// Returns the next two responses by control request id.
async fn two_responses(cli: &mut FakeCli) -> HashMap<String, Value> {
    let mut responses = HashMap::new();
    for _ in 0..2 {
        let (id, answer) = cli.expect_any_answer().await;
        responses.insert(id, answer.payload()["mcp_response"].take());
    }
    responses
}

#[tokio::test(start_paused = true)]
async fn late_end_of_a_call_does_not_remove_a_new_call_with_its_id() {
    let (tool, mut journal) = endless("wait");
    let options = Options::new().tool_server(ToolServer::new("s").tool(tool));
    FakeCli::play_cli(options, async |cli| {
        cli.send_bytes(line("old", wait("toolu_old")).as_bytes())
            .await;
        assert_eq!(journal.next().await, "toolu_old began");

        // Read together, so that the new call begins before the task of the old one stops.
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "claude-code", "version": "2.1.325"},
        });
        let lines =
            line("hello", request(0, "initialize", hello)) + &line("new", wait("toolu_new"));
        cli.send_bytes(lines.as_bytes()).await;
        let responses = two_responses(cli).await;
        assert_eq!(code(7, &responses["old"]), -32800);
        assert_eq!(responses["hello"]["id"], 0);

        cli.send_bytes(line("cancel", cancelled(7)).as_bytes())
            .await;
        let responses = two_responses(cli).await;
        assert_eq!(code(7, &responses["new"]), -32800);
    })
    .await;
}
