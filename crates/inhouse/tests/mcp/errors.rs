//! Invalid MCP messages: each gets a response with its error code.

use inhouse::Options;
use inhouse::tool::{Input, Tool, ToolServer};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::HostAnswer;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::probe::endless;
use crate::support::{call, cancelled, code, exchange, notify, request, response, text};

const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const INTERNAL: i64 = -32603;
const CANCELLED: i64 = -32800;

#[derive(Deserialize, JsonSchema)]
struct Word {
    word: String,
}

fn options() -> Options {
    let echo = async |Input(Word { word }): Input<Word>| word;
    Options::new().tool_server(ToolServer::new("s").tool(Tool::new("echo", "Echoes", echo)))
}

/// Checks that the server still works.
async fn assert_works(cli: &mut FakeCli) {
    let answer = exchange(cli, "s", call(99, "echo", json!({"word": "still here"}))).await;
    assert_eq!(answer, text(99, "still here"));
}

#[tokio::test(start_paused = true)]
async fn non_message_is_an_invalid_request() {
    FakeCli::play_cli(options(), async |cli| {
        // A message inside a valid line always parses, so there is no parse error.
        let cases = [
            (json!({}), Value::Null),
            (json!(null), Value::Null),
            (json!("ping"), Value::Null),
            (json!(7), Value::Null),
            (json!([]), Value::Null),
            (json!([7, "ping"]), Value::Null),
            (json!([request(1, "ping", json!({}))]), Value::Null),
            (json!({"jsonrpc": "2.0", "id": 5}), json!(5)),
            (json!({"jsonrpc": "2.0", "id": 5, "method": 7}), Value::Null),
            (request(5, "", json!({})), json!(5)),
            (json!({"jsonrpc": "2.0", "method": ""}), Value::Null),
            (request(json!({}), "ping", json!({})), Value::Null),
            (request(true, "ping", json!({})), Value::Null),
        ];
        for (message, id) in cases {
            let answer = exchange(cli, "s", message.clone()).await;
            assert_eq!(code(id, &answer), INVALID_REQUEST, "{message}");
        }
        assert_works(cli).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn unknown_method_is_not_found() {
    FakeCli::play_cli(options(), async |cli| {
        for method in ["resources/list", "prompts/list", "tools/cal", "Ping"] {
            let answer = exchange(cli, "s", request(1, method, json!({}))).await;
            assert_eq!(code(1, &answer), METHOD_NOT_FOUND, "{method}");
        }
        assert_works(cli).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn unknown_server_is_not_found() {
    FakeCli::play_cli(options(), async |cli| {
        for server in ["nobody", "", "S"] {
            let answer = exchange(cli, server, request("x", "ping", json!({}))).await;
            assert_eq!(code("x", &answer), METHOD_NOT_FOUND, "{server}");
            let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
            notify(cli, server, initialized).await;
        }
        assert_works(cli).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn missing_and_bad_call_parameters_are_reported() {
    FakeCli::play_cli(options(), async |cli| {
        let without = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call"});
        let cases = [
            without,
            request(1, "tools/call", json!({})),
            request(1, "tools/call", json!(null)),
            request(1, "tools/call", json!({"arguments": {"word": "x"}})),
            request(1, "tools/call", json!({"name": 7})),
            call(1, "", json!({})),
            call(1, "echo", json!(["x"])),
            call(1, "echo", json!("x")),
            call(1, "echo", json!(7)),
        ];
        for message in cases {
            let answer = exchange(cli, "s", message.clone()).await;
            assert_eq!(code(1, &answer), INVALID_PARAMS, "{message}");
        }
        assert_works(cli).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn mistakes_of_the_model_are_error_results() {
    FakeCli::play_cli(options(), async |cli| {
        let cases = [
            (call(1, "ekho", json!({"word": "x"})), "ekho"),
            (call(1, "echo", json!({})), "word"),
            (call(1, "echo", json!({"word": 7})), "word"),
            // Missing arguments are an empty object.
            (call(1, "echo", Value::Null), "word"),
            (request(1, "tools/call", json!({"name": "echo"})), "word"),
        ];
        for (message, named) in cases {
            let answer = exchange(cli, "s", message.clone()).await;
            assert_eq!(answer.get("error"), None, "{message}");
            assert_eq!(answer["result"]["isError"], true, "{message}");
            let text = answer["result"]["content"][0]["text"].as_str();
            assert!(text.is_some_and(|text| text.contains(named)), "{answer}");
        }
        assert_works(cli).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn second_request_with_an_open_id_is_refused() {
    let (wait, mut journal) = endless("wait");
    let options = Options::new().tool_server(ToolServer::new("s").tool(wait));
    FakeCli::play_cli(options, async |cli| {
        let first = cli.mcp_message("s", call(7, "wait", json!({}))).await;
        assert_eq!(journal.next().await, " began");
        let second = exchange(cli, "s", call(7, "wait", json!({}))).await;
        assert_eq!(code(7, &second), INTERNAL);
        journal.expect_nothing();
        // The same id as a string is a different id.
        let third = exchange(cli, "s", request("7", "ping", json!({}))).await;
        assert_eq!(third["result"], json!({}));
        cancel_and_expect_both(cli, &first).await;
        // The id is free again.
        let ping = exchange(cli, "s", request(7, "ping", json!({}))).await;
        assert_eq!(ping["result"], json!({}));
    })
    .await;
}

/// Cancels request 7, and expects both its answer and the acknowledgement.
async fn cancel_and_expect_both(cli: &mut FakeCli, first: &str) {
    let notified = cli.mcp_message("s", cancelled(7)).await;
    for _ in 0..2 {
        let (asked, answer) = cli.expect_any_answer().await;
        let response = answer.payload()["mcp_response"].clone();
        match asked == notified {
            true => assert_eq!(response["result"], json!({})),
            false => {
                assert_eq!(asked, first);
                assert_eq!(code(7, &response), CANCELLED);
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn request_without_server_or_message_is_refused() {
    FakeCli::play_cli(options(), async |cli| {
        let ping = request(1, "ping", json!({}));
        for body in [
            json!({"subtype": "mcp_message"}),
            json!({"subtype": "mcp_message", "server_name": "s"}),
            json!({"subtype": "mcp_message", "message": ping}),
            json!({"subtype": "mcp_message", "server_name": 7, "message": ping}),
        ] {
            let asked = cli.ask(body.clone()).await;
            let answer = cli.expect_answer(&asked).await;
            let HostAnswer::Error { error, .. } = answer else {
                panic!("{body} is answered by {answer:?}");
            };
            assert!(error.contains("malformed"), "{error}");
        }
        assert_works(cli).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn notifications_and_responses_are_acknowledged() {
    FakeCli::play_cli(options(), async |cli| {
        for message in [
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed", "params": {}}),
            json!({"jsonrpc": "2.0", "method": "notifications/nonsense", "params": [1]}),
            json!({"jsonrpc": "2.0", "method": "ping", "id": null}),
            json!({"jsonrpc": "2.0", "id": 3, "result": {}}),
            json!({"jsonrpc": "2.0", "id": 3, "error": {"code": -32601, "message": "no"}}),
            cancelled(12345),
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}),
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}}),
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": 7}),
        ] {
            notify(cli, "s", message).await;
        }
        assert_works(cli).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn ids_are_echoed_unchanged() {
    FakeCli::play_cli(options(), async |cli| {
        for id in [
            json!(0),
            json!(-1),
            json!(u64::MAX),
            json!(i64::MIN),
            json!(1.5),
            json!(""),
            json!("7"),
            json!("sdk-manifest-capture:initialize"),
            json!("\u{1F980} \" \\ \n"),
        ] {
            let answer = exchange(cli, "s", request(id.clone(), "ping", json!({}))).await;
            assert_eq!(answer, json!({"jsonrpc": "2.0", "id": id, "result": {}}));
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn id_beyond_u64_is_echoed_digit_by_digit() {
    let digits = "123456789012345678901234567890";
    FakeCli::play_cli(options(), async |cli| {
        let line = format!(
            r#"{{"type":"control_request","request_id":"big","request":{{"subtype":"mcp_message","server_name":"s","message":{{"jsonrpc":"2.0","id":{digits},"method":"ping"}}}}}}"#
        );
        cli.send_bytes(format!("{line}\n").as_bytes()).await;
        response(cli, "big").await;
        let said = cli.transcript();
        assert!(said.contains(&format!(r#""id":{digits},"result""#)), "{said}");
    })
    .await;
}
