//! Requests of tools to the MCP client: elicitation and sampling.

use std::time::Duration;

use inhouse::Options;
use inhouse::tool::{
    CallId, Elicited, McpClient, McpClientError, SamplingRequest, Tool, ToolError, ToolServer,
};
use inhouse_testkit::FakeCli;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::support::{call, cancelled, code, exchange, notify, request, response, server_message};

#[derive(Deserialize, JsonSchema)]
struct Order {
    /// The name on the cup
    name: String,
    sugar: Option<u32>,
}

/// Returns a tool that asks for an order, and returns the answer as text.
fn order() -> Tool {
    Tool::new("order", "Takes an order", async |client: McpClient| {
        let text = match client.elicit("What do you want?").await? {
            Elicited::Accepted(Order { name, sugar }) => {
                format!("{name}, sugar {}", sugar.unwrap_or_default())
            }
            Elicited::Declined => "declined".to_owned(),
            Elicited::Cancelled => "cancelled".to_owned(),
        };
        Ok::<_, ToolError>(text)
    })
}

/// Returns a tool that passes a prompt to the client's model.
fn motto() -> Tool {
    Tool::new("motto", "Invents a motto", async |client: McpClient| {
        let request = SamplingRequest::new("Invent a motto.", 50).system_prompt("Be brief.");
        let answer = client.sample(&request).await?;
        Ok::<_, ToolError>(format!("{} ({})", answer.all_text(), answer.model))
    })
}

fn options() -> Options {
    let server = ToolServer::new("s").tool(order()).tool(motto());
    Options::new().tool_server(server)
}

/// Makes the handshake of a client with these capabilities.
async fn initialize(cli: &mut FakeCli, capabilities: Value) {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities});
    exchange(cli, "s", request(0, "initialize", params)).await;
}

fn all() -> Value {
    json!({"elicitation": {}, "sampling": {}})
}

/// Answers a request of the server as the CLI would: in an `mcp_message`, which is acknowledged.
async fn answer(cli: &mut FakeCli, request: &Value, result: Value) {
    let response = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
    let asked = cli.mcp_message("s", response).await;
    let acknowledged = cli.expect_answer(&asked).await.payload();
    assert_eq!(acknowledged["mcp_response"]["result"], json!({}));
}

/// Expects the result of a call; returns its text and whether it is an error.
async fn outcome(cli: &mut FakeCli, asked: &str) -> (String, bool) {
    let response = response(cli, asked).await;
    let result = &response["result"];
    let text = result["content"][0]["text"].as_str();
    let text = text.unwrap_or_else(|| panic!("no text: {response}"));
    (text.to_owned(), result["isError"] == true)
}

#[tokio::test(start_paused = true)]
async fn elicitation_is_sent_to_the_client_and_answered() {
    FakeCli::play_cli(options(), async |cli| {
        initialize(cli, all()).await;
        for (result, text) in [
            (
                json!({"action": "accept", "content": {"name": "Ada", "sugar": 2}}),
                "Ada, sugar 2",
            ),
            (
                json!({"action": "accept", "content": {"name": "Bo"}}),
                "Bo, sugar 0",
            ),
            (json!({"action": "decline"}), "declined"),
            (json!({"action": "cancel"}), "cancelled"),
        ] {
            let asked = cli.mcp_message("s", call(1, "order", json!({}))).await;
            let (server, elicitation) = server_message(cli).await;
            assert_eq!(server, "s");
            assert_eq!(elicitation["jsonrpc"], "2.0");
            assert_eq!(elicitation["method"], "elicitation/create");
            let form = json!({
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "The name on the cup"},
                    "sugar": {"type": "integer", "minimum": 0},
                },
                "required": ["name"],
            });
            assert_eq!(
                elicitation["params"],
                json!({"message": "What do you want?", "requestedSchema": form})
            );
            answer(cli, &elicitation, result).await;
            assert_eq!(outcome(cli, &asked).await, (text.to_owned(), false));
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn sampling_is_sent_to_the_client_and_answered() {
    FakeCli::play_cli(options(), async |cli| {
        initialize(cli, all()).await;
        let asked = cli.mcp_message("s", call(1, "motto", json!({}))).await;
        let (_, sampling) = server_message(cli).await;
        assert_eq!(sampling["method"], "sampling/createMessage");
        let prompt = json!({"type": "text", "text": "Invent a motto."});
        assert_eq!(
            sampling["params"],
            json!({
                "messages": [{"role": "user", "content": prompt}],
                "maxTokens": 50,
                "systemPrompt": "Be brief.",
            })
        );
        let content = json!({"type": "text", "text": "Onwards"});
        let result = json!({"role": "assistant", "content": content, "model": "claude"});
        answer(cli, &sampling, result).await;
        let expected = ("Onwards (claude)".to_owned(), false);
        assert_eq!(outcome(cli, &asked).await, expected);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn request_without_the_capability_fails_and_is_not_sent() {
    FakeCli::play_cli(options(), async |cli| {
        let elicitation = "the MCP client does not support elicitation";
        let sampling = "the MCP client does not support sampling";
        // The session of a manifest has no capabilities, and neither has that of CLI 2.1.325.
        let mut id = 100;
        for (capabilities, tool, error) in [
            (None, "order", elicitation),
            (None, "motto", sampling),
            (Some(json!({})), "order", elicitation),
            (Some(json!({"elicitation": {}})), "motto", sampling),
            (Some(json!({"sampling": {}})), "order", elicitation),
            (
                Some(json!({"elicitation": {"url": {}}})),
                "order",
                elicitation,
            ),
            (Some(json!("nonsense")), "order", elicitation),
        ] {
            if let Some(capabilities) = capabilities {
                initialize(cli, capabilities).await;
            }
            id += 1;
            // The next line is the result: nothing was sent before it.
            let asked = cli.mcp_message("s", call(id, tool, json!({}))).await;
            assert_eq!(outcome(cli, &asked).await, (error.to_owned(), true));
        }
        initialize(cli, json!({"elicitation": {"form": {}, "url": {}}})).await;
        let asked = cli.mcp_message("s", call(1, "order", json!({}))).await;
        let (_, elicitation) = server_message(cli).await;
        answer(cli, &elicitation, json!({"action": "decline"})).await;
        assert_eq!(outcome(cli, &asked).await.0, "declined");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn rejection_and_invalid_answers_are_errors_of_the_tool() {
    FakeCli::play_cli(options(), async |cli| {
        initialize(cli, all()).await;
        let rejected = json!({"error": {"code": -32601, "message": "Method not found"}});
        let invalid = "the answer of the MCP client is invalid";
        for (tool, response, error) in [
            (
                "order",
                rejected.clone(),
                "the MCP client rejected the request: Method not found (-32601)",
            ),
            ("motto", rejected, "Method not found (-32601)"),
            ("order", json!({"result": {"action": "shrug"}}), invalid),
            ("order", json!({"result": {}}), invalid),
            (
                "order",
                json!({"result": {"action": "accept", "content": {"name": 7}}}),
                invalid,
            ),
            ("motto", json!({"result": {"model": "claude"}}), invalid),
            ("motto", json!({"error": "no"}), invalid),
        ] {
            let asked = cli.mcp_message("s", call(1, tool, json!({}))).await;
            let (_, request) = server_message(cli).await;
            let mut response = response;
            response["id"] = request["id"].clone();
            notify(cli, "s", response).await;
            let (text, is_error) = outcome(cli, &asked).await;
            assert!(is_error && text.contains(error), "{text}");
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn concurrent_requests_get_their_own_answers() {
    FakeCli::play_cli(options(), async |cli| {
        initialize(cli, all()).await;
        // Ids of the CLI that look like those of the server do not collide with them.
        let first = cli
            .mcp_message("s", call("inhouse-1", "order", json!({})))
            .await;
        let (_, first_form) = server_message(cli).await;
        let second = cli
            .mcp_message("s", call("inhouse-2", "order", json!({})))
            .await;
        let (_, second_form) = server_message(cli).await;
        assert_ne!(first_form["id"], second_form["id"]);

        let accept = |name: &str| json!({"action": "accept", "content": {"name": name}});
        answer(cli, &second_form, accept("second")).await;
        assert_eq!(outcome(cli, &second).await.0, "second, sugar 0");
        answer(cli, &first_form, accept("first")).await;
        assert_eq!(outcome(cli, &first).await.0, "first, sugar 0");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn unknown_and_second_answers_are_acknowledged_and_ignored() {
    FakeCli::play_cli(options(), async |cli| {
        initialize(cli, all()).await;
        let asked = cli.mcp_message("s", call(1, "order", json!({}))).await;
        let (_, form) = server_message(cli).await;
        for id in [json!(1), json!("inhouse-99"), json!("x")] {
            answer(cli, &json!({"id": id}), json!({"action": "cancel"})).await;
        }
        answer(cli, &form, json!({"action": "decline"})).await;
        assert_eq!(outcome(cli, &asked).await.0, "declined");
        answer(cli, &form, json!({"action": "cancel"})).await;
        exchange(cli, "s", request(2, "ping", json!({}))).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn cancelled_call_cancels_its_request() {
    FakeCli::play_cli(options(), async |cli| {
        initialize(cli, all()).await;
        let asked = cli.mcp_message("s", call(7, "order", json!({}))).await;
        let (_, form) = server_message(cli).await;
        let notified = cli.mcp_message("s", cancelled(7)).await;
        cli.expect_answer(&notified).await;
        let (_, request) = server_message(cli).await;
        assert_eq!(request["method"], "notifications/cancelled");
        assert_eq!(request["params"]["requestId"], form["id"]);
        assert_eq!(code(7, &response(cli, &asked).await), -32800);
        // A late answer is ignored.
        answer(cli, &form, json!({"action": "decline"})).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn request_times_out_and_is_cancelled() {
    let ask = |limit: Option<Duration>| {
        async move |client: McpClient| {
            let client = match limit {
                Some(limit) => client.timeout(limit),
                None => client,
            };
            let answer = client
                .elicit_with_schema("?", json!({"type": "object"}))
                .await;
            match answer {
                Err(McpClientError::TimedOut(limit)) => format!("{limit:?}"),
                other => format!("{other:?}"),
            }
        }
    };
    let server = ToolServer::new("s")
        .tool(Tool::new("default", "Asks", ask(None)))
        .tool(Tool::new(
            "short",
            "Asks",
            ask(Some(Duration::from_secs(5))),
        ));
    FakeCli::play_cli(Options::new().tool_server(server), async |cli| {
        initialize(cli, all()).await;
        for (tool, limit) in [("short", "5s"), ("default", "600s")] {
            let asked = cli.mcp_message("s", call(1, tool, json!({}))).await;
            let (_, form) = server_message(cli).await;
            let (_, cancelled) = server_message(cli).await;
            assert_eq!(cancelled["method"], "notifications/cancelled");
            assert_eq!(cancelled["params"]["requestId"], form["id"]);
            assert_eq!(outcome(cli, &asked).await, (limit.to_owned(), false));
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn end_of_the_call_or_session_ends_the_request_of_a_spawned_task() {
    let (sender, mut ended) = mpsc::unbounded_channel();
    let tool = Tool::new(
        "spawn",
        "Asks in a task",
        async move |CallId(id), client: McpClient| {
            let ended = sender.clone();
            let asked = tokio::spawn(async move {
                let form = json!({"type": "object"});
                let first = client.elicit_with_schema("?", form.clone()).await;
                let second = client.elicit_with_schema("?", form).await;
                let is_ended = |answer| matches!(answer, Err(McpClientError::Ended));
                let _ = ended.send((id, is_ended(first), is_ended(second)));
            });
            asked.await.map_err(ToolError::from)
        },
    );
    let options = Options::new().tool_server(ToolServer::new("s").tool(tool));
    FakeCli::play_cli(options, async |cli| {
        initialize(cli, all()).await;
        cli.begin_tool_call("s", "spawn", json!({})).await;
        server_message(cli).await;
    })
    .await;
    assert_eq!(ended.recv().await, Some(("toolu_1".to_owned(), true, true)));
}
