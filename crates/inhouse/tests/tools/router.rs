//! `McpRouter`: JSON-RPC messages in, responses out, without a CLI.

use std::future::pending;

use inhouse::tool::{Input, LogLevel, McpClient, McpRouter, Progress, Tool, ToolError, ToolServer};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;

const PARSE: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const INTERNAL: i64 = -32603;
const CANCELLED: i64 = -32800;

#[derive(Deserialize, JsonSchema)]
struct Word {
    word: String,
}

fn server() -> ToolServer {
    ToolServer::new("s")
        .version("2.1.0")
        .instructions("Say a word.")
        .tool(Tool::new(
            "echo",
            "Echo",
            async |Input(Word { word }): Input<Word>| word,
        ))
}

/// Handles a message and returns its response.
async fn respond(router: &McpRouter, message: &str) -> Value {
    let response = router.handle(message).await.expect("a response");
    serde_json::from_str(&response).expect("JSON")
}

/// Handles a message that is rejected, and returns the id and the code of the error response.
async fn refused(router: &McpRouter, message: &str) -> (Value, i64) {
    let response = respond(router, message).await;
    assert_eq!(response["jsonrpc"], "2.0", "{response}");
    assert_eq!(response.get("result"), None, "{response}");
    let code = response["error"]["code"].as_i64().expect("a code");
    (response["id"].clone(), code)
}

#[tokio::test]
async fn router_handles_a_session_from_initialize_to_call() {
    let router = server().router();
    let initialize = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#;
    assert_eq!(
        respond(&router, initialize).await,
        json!({"jsonrpc": "2.0", "id": 0, "result": {
            "protocolVersion": "2025-06-18",
            "capabilities": {"logging": {}, "tools": {"listChanged": true}},
            "serverInfo": {"name": "s", "version": "2.1.0"},
            "instructions": "Say a word.",
        }})
    );
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(router.handle(initialized).await, None);
    let list = respond(
        &router,
        r#"{"jsonrpc":"2.0","id":"a","method":"tools/list"}"#,
    )
    .await;
    assert_eq!(list["id"], "a");
    assert_eq!(list["result"]["tools"][0]["name"], "echo");
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"word":"hi"}}}"#;
    assert_eq!(
        respond(&router, call).await,
        json!({"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": "hi"}]}})
    );
    let ping = r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#;
    assert_eq!(respond(&router, ping).await["result"], json!({}));
}

#[tokio::test]
async fn notifications_and_responses_get_no_response() {
    let router = server().router();
    for message in [
        r#"{"jsonrpc":"2.0","method":"notifications/nonsense"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#,
        r#"{"jsonrpc":"2.0","method":"ping","id":null}"#,
        r#"{"jsonrpc":"2.0","id":3,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":"no"}}"#,
    ] {
        assert_eq!(router.handle(message).await, None, "{message}");
    }
}

#[tokio::test]
async fn malformed_messages_get_json_rpc_error_codes() {
    let router = server().router();
    for (message, id, code) in [
        ("", Value::Null, PARSE),
        ("{", Value::Null, PARSE),
        ("nonsense", Value::Null, PARSE),
        (r#"{"id":1,"method":"ping"} x"#, Value::Null, PARSE),
        ("{}", Value::Null, INVALID_REQUEST),
        ("[]", Value::Null, INVALID_REQUEST),
        ("7", Value::Null, INVALID_REQUEST),
        (
            r#"[{"id":1,"method":"ping"}]"#,
            Value::Null,
            INVALID_REQUEST,
        ),
        (r#"{"id":1,"method":7}"#, Value::Null, INVALID_REQUEST),
        (r#"{"id":{},"method":"ping"}"#, Value::Null, INVALID_REQUEST),
        (r#"{"id":1,"method":""}"#, json!(1), INVALID_REQUEST),
        (r#"{"id":1}"#, json!(1), INVALID_REQUEST),
        (
            r#"{"id":1,"method":"tools/cal"}"#,
            json!(1),
            METHOD_NOT_FOUND,
        ),
        (
            r#"{"id":1,"method":"tools/call"}"#,
            json!(1),
            INVALID_PARAMS,
        ),
    ] {
        assert_eq!(refused(&router, message).await, (id, code), "{message}");
    }
}

#[tokio::test]
async fn invalid_call_parameters_are_rejected() {
    let router = server().router();
    for params in [
        "{}",
        "[]",
        "null",
        r#"{"name":7}"#,
        r#"{"name":""}"#,
        r#"{"name":"echo","arguments":[]}"#,
        r#"{"name":"echo","arguments":"hi"}"#,
    ] {
        let call = format!(r#"{{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{params}}}"#);
        let refused = refused(&router, &call).await;
        assert_eq!(refused, (json!(5), INVALID_PARAMS), "{params}");
    }
}

#[tokio::test]
async fn duplicate_id_is_rejected_and_cancelled_request_answered() {
    let (began, mut begun) = unbounded_channel();
    let wait = Tool::new("wait", "Wait", async move || {
        began.send(()).expect("the test holds the receiver");
        pending::<()>().await;
    });
    let router = ToolServer::new("s").tool(wait).router();
    let call = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"wait"}}"#;
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
    let (first, ()) = tokio::join!(refused(&router, call), async {
        begun.recv().await.expect("the call runs");
        assert_eq!(refused(&router, call).await, (json!(7), INTERNAL));
        assert_eq!(router.handle(cancel).await, None);
    });
    assert_eq!(first, (json!(7), CANCELLED));
}

#[tokio::test]
async fn dropped_request_frees_its_id() {
    let wait = Tool::new("wait", "Wait", async || pending::<()>().await);
    let router = ToolServer::new("s").tool(wait).router();
    let call = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"wait"}}"#;
    tokio::select! {
        biased;
        _ = router.handle(call) => panic!("the tool never returns"),
        () = tokio::task::yield_now() => {}
    }
    let ping = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
    assert_eq!(respond(&router, ping).await["result"], json!({}));
}

/// Returns a server whose tool logs, reports progress and asks for a word.
fn asking_server() -> ToolServer {
    let ask = async |client: McpClient, progress: Progress| {
        client.log(LogLevel::Notice, "asking");
        progress.report(1.0, None);
        let answer = client.elicit::<Word>("Which word?").await?;
        Ok::<_, ToolError>(answer.accepted().map(|Word { word }| word))
    };
    ToolServer::new("s").tool(Tool::new("ask", "Ask", ask))
}

const DECLARES_ELICITATION: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"elicitation":{}}}}"#;
const ASK: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","_meta":{"progressToken":7}}}"#;

#[tokio::test]
async fn messages_of_the_server_go_to_the_callback() {
    let (sender, mut messages) = unbounded_channel();
    let server = asking_server();
    let router = server.router().on_message(move |message| {
        let message: Value = serde_json::from_str(&message).expect("JSON");
        sender.send(message).expect("the test holds the receiver");
    });
    respond(&router, DECLARES_ELICITATION).await;
    let (response, ()) = tokio::join!(respond(&router, ASK), async {
        let log = messages.recv().await.expect("a log message");
        assert_eq!(log["method"], "notifications/message");
        assert_eq!(log["params"], json!({"level": "notice", "data": "asking"}));
        let progress = messages.recv().await.expect("a report");
        assert_eq!(progress["params"]["progressToken"], 7);
        let request = messages.recv().await.expect("a request");
        assert_eq!(request["method"], "elicitation/create");
        let result = json!({"action": "accept", "content": {"word": "hi"}});
        let answer = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
        assert_eq!(router.handle(&answer.to_string()).await, None);
    });
    assert_eq!(response["result"]["content"][0]["text"], "hi");

    let late = Tool::new("late", "Late", async || "late");
    server.handle().put(late).expect("a valid tool");
    let changed = messages.recv().await.expect("a notification");
    assert_eq!(changed["method"], "notifications/tools/list_changed");
}

#[tokio::test]
async fn requests_fail_without_a_callback() {
    let router = asking_server().router();
    respond(&router, DECLARES_ELICITATION).await;
    let result = &respond(&router, ASK).await["result"];
    assert_eq!(result["isError"], true);
    let text = &result["content"][0]["text"];
    assert_eq!(text, "there is no MCP client that could answer");
    let direct = asking_server().call("ask", json!({})).await;
    assert_eq!(direct.all_text(), *text);
}
