//! MCP messages in short form.

use inhouse_testkit::FakeCli;
use serde_json::{Value, json};

/// Returns a JSON-RPC request.
pub(crate) fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

/// Returns a `tools/call` request with required members only.
pub(crate) fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    request(
        id,
        "tools/call",
        json!({"name": tool, "arguments": arguments}),
    )
}

/// Returns the notification with which the CLI cancels a request.
pub(crate) fn cancelled(id: impl Into<Value>) -> Value {
    let params = json!({"requestId": id.into(), "reason": "AbortError: remote-cancel"});
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
}

/// Sends a message to a server and waits for its response.
pub(crate) async fn exchange(cli: &mut FakeCli, server: &str, message: Value) -> Value {
    let asked = cli.mcp_message(server, message).await;
    response(cli, &asked).await
}

/// Expects that the next line is the response to this request.
pub(crate) async fn response(cli: &mut FakeCli, asked: &str) -> Value {
    let mut payload = cli.expect_answer(asked).await.payload();
    let response = payload["mcp_response"].take();
    assert_eq!(
        payload,
        json!({"mcp_response": null}),
        "there is no other member"
    );
    response
}

/// Sends a notification to a server and checks that the host acknowledges it.
pub(crate) async fn notify(cli: &mut FakeCli, server: &str, message: Value) {
    let acknowledged = exchange(cli, server, message).await;
    assert_eq!(
        acknowledged,
        json!({"jsonrpc": "2.0", "id": 0, "result": {}})
    );
}

/// Expects a message of a server to the CLI; returns the server's name and the message.
pub(crate) async fn server_message(cli: &mut FakeCli) -> (String, Value) {
    let request = cli.expect_request("mcp_message").await;
    let server = request.body()["server_name"].as_str().expect("a name");
    let message = (server.to_owned(), request.body()["message"].clone());
    request.succeed_empty().await;
    message
}

/// Returns a successful response with one text.
pub(crate) fn text(id: impl Into<Value>, text: &str) -> Value {
    let content = json!([{"type": "text", "text": text}]);
    json!({"jsonrpc": "2.0", "id": id.into(), "result": {"content": content}})
}

/// Returns the code of a response that has to be an error to the request with this id.
pub(crate) fn code(id: impl Into<Value>, response: &Value) -> i64 {
    assert_eq!(response["jsonrpc"], "2.0", "{response}");
    assert_eq!(response.get("id"), Some(&id.into()), "{response}");
    assert_eq!(response.get("result"), None, "{response}");
    let message = response["error"]["message"].as_str();
    assert!(message.is_some_and(|text| !text.is_empty()), "{response}");
    let code = response["error"]["code"].as_i64();
    code.unwrap_or_else(|| panic!("not an error: {response}"))
}
