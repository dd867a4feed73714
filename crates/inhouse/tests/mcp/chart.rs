//! The two sides of a session, and MCP messages in short.

use std::future::Future;
use std::time::Duration;

use inhouse::{Client, Options};
use inhouse_testkit::FakeCli;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// A day on the paused clock: it passes as soon as both sides wait for ever.
const DEADLINE: Duration = Duration::from_secs(24 * 60 * 60);

/// Plays a session in which only the CLI acts. It gets what the host has said of itself.
pub(crate) async fn play(options: Options, cli: impl AsyncFnOnce(&mut FakeCli, Value)) {
    session(options, async |_| {}, cli).await;
}

/// Plays a session to its end, which comes when both sides are through. A host that says anything more
/// until then fails the test.
pub(crate) async fn session(
    options: Options,
    host: impl AsyncFnOnce(&mut Client),
    cli: impl AsyncFnOnce(&mut FakeCli, Value),
) {
    let (transport, mut fake) = FakeCli::new();
    let (through, until_through) = oneshot::channel::<()>();
    let host = async {
        let mut client = Client::connect_with(options, transport)
            .await
            .expect("the fake accepts the session");
        host(&mut client).await;
        until_through.await.expect_err("it is only dropped");
        client.close().await.expect("the fake ends well");
    };
    let cli = async move {
        let initialize = fake.accept().await;
        cli(&mut fake, initialize).await;
        drop(through);
        fake.expect_end_of_input().await;
    };
    together(host, cli).await;
}

/// Plays both sides of a conversation.
pub(crate) async fn together<H: Future, C: Future>(host: H, cli: C) -> (H::Output, C::Output) {
    timeout(DEADLINE, async { tokio::join!(host, cli) })
        .await
        .expect("one side waits for something that never comes")
}

/// A request of JSON-RPC.
pub(crate) fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

/// A call of a tool, without anything that it need not have.
pub(crate) fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    request(
        id,
        "tools/call",
        json!({"name": tool, "arguments": arguments}),
    )
}

/// What the CLI sends when it gives up on a request.
pub(crate) fn cancelled(id: impl Into<Value>) -> Value {
    let params = json!({"requestId": id.into(), "reason": "AbortError: remote-cancel"});
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
}

/// Sends a message to a server and waits for its response.
pub(crate) async fn exchange(cli: &mut FakeCli, server: &str, message: Value) -> Value {
    let asked = cli.mcp_message(server, message).await;
    response(cli, &asked).await
}

/// The response that the host gives next, which has to be to this request.
pub(crate) async fn response(cli: &mut FakeCli, asked: &str) -> Value {
    let mut payload = cli.expect_answer(asked).await.payload();
    let response = payload["mcp_response"].take();
    assert_eq!(payload, json!({"mcp_response": null}), "and nothing else");
    response
}

/// Sends a message that wants no response, and checks that the host acknowledges it.
pub(crate) async fn tell(cli: &mut FakeCli, server: &str, message: Value) {
    let acknowledged = exchange(cli, server, message).await;
    assert_eq!(
        acknowledged,
        json!({"jsonrpc": "2.0", "id": 0, "result": {}})
    );
}

/// The message that a server of the host starts next; returns the server as well.
pub(crate) async fn told(cli: &mut FakeCli) -> (String, Value) {
    let request = cli.expect_request("mcp_message").await;
    let server = request.body()["server_name"].as_str().expect("a name");
    let told = (server.to_owned(), request.body()["message"].clone());
    request.succeed_empty().await;
    told
}

/// A successful response that is one text.
pub(crate) fn text(id: impl Into<Value>, text: &str) -> Value {
    let content = json!([{"type": "text", "text": text}]);
    json!({"jsonrpc": "2.0", "id": id.into(), "result": {"content": content}})
}

/// The code of a response that must be an error to the request with this id.
pub(crate) fn code(id: impl Into<Value>, response: &Value) -> i64 {
    assert_eq!(response["jsonrpc"], "2.0", "{response}");
    assert_eq!(response.get("id"), Some(&id.into()), "{response}");
    assert_eq!(response.get("result"), None, "{response}");
    let words = response["error"]["message"].as_str();
    assert!(words.is_some_and(|words| !words.is_empty()), "{response}");
    let code = response["error"]["code"].as_i64();
    code.unwrap_or_else(|| panic!("no error: {response}"))
}
