//! Log messages and requests of served tools, on the level of JSON-RPC.

use std::time::Duration;

use inhouse::rmcp::ServiceExt;
use inhouse::tool::{
    Elicited, LogLevel, McpClient, McpClientError, Progress, SamplingRequest, Tool, ToolError,
    ToolServer,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::AbortHandle;

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

/// A client that reads and writes JSON-RPC lines.
struct RawClient {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    output: WriteHalf<DuplexStream>,
    /// The `_meta` of each request.
    meta: Value,
    serving: AbortHandle,
}

impl RawClient {
    /// Connects to a server, without a message.
    fn new(server: ToolServer, meta: Value) -> Self {
        let (theirs, ours) = tokio::io::duplex(64 * 1024);
        let serving = tokio::spawn(async move {
            let handler = server.into_rmcp().expect("valid tools");
            let served = handler.serve(ours).await.expect("a handshake");
            served.waiting().await.expect("the task does not panic");
        });
        let (input, output) = tokio::io::split(theirs);
        Self {
            lines: BufReader::new(input).lines(),
            output,
            meta,
            serving: serving.abort_handle(),
        }
    }

    /// Connects with a handshake.
    async fn connected(server: ToolServer, capabilities: Value) -> Self {
        let mut client = Self::new(server, json!({}));
        let info = json!({"name": "raw", "version": "1"});
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": info,
        });
        client.request(0, "initialize", params).await;
        let response = client.next().await;
        assert_eq!(response["result"]["capabilities"]["logging"], json!({}));
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        client.send(initialized).await;
        client
    }

    /// Connects as a client of 2026-07-28, which makes no handshake.
    async fn stateless(server: ToolServer, capabilities: Value) -> Self {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        let mut client = Self::new(server, meta);
        client.request(0, "server/discover", json!({})).await;
        let response = client.next().await;
        assert_eq!(response["result"]["capabilities"]["logging"], json!({}));
        client
    }

    async fn send(&mut self, message: Value) {
        let line = format!("{message}\n");
        let written = self.output.write_all(line.as_bytes()).await;
        written.expect("the server reads");
    }

    async fn request(&mut self, id: u64, method: &str, mut params: Value) {
        if self.meta != json!({}) {
            params["_meta"] = self.meta.clone();
        }
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .await;
    }

    async fn call(&mut self, id: u64, tool: &str) {
        self.request(id, "tools/call", json!({"name": tool})).await;
    }

    /// Continues a call with answers to its `input_required` result.
    async fn answer_input(&mut self, id: u64, tool: &str, state: &Value, answers: Value) {
        let params = json!({"name": tool, "requestState": state, "inputResponses": answers});
        self.request(id, "tools/call", params).await;
    }

    /// Answers a request of the server.
    async fn answer(&mut self, request: &Value, result: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": request["id"], "result": result}))
            .await;
    }

    async fn next(&mut self) -> Value {
        let line = self.lines.next_line().await.expect("the server writes");
        serde_json::from_str(&line.expect("another line")).expect("JSON")
    }

    /// Expects the result of a call; returns its text.
    async fn text(&mut self, id: u64) -> String {
        let response = self.next().await;
        assert_eq!(response["id"], id, "{response}");
        let text = response["result"]["content"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("no text: {response}"))
            .to_owned()
    }

    /// Expects an `input_required` result; returns its state and its requests.
    async fn input_required(&mut self, id: u64) -> (Value, Vec<(String, Value)>) {
        let mut response = self.next().await;
        assert_eq!(response["id"], id, "{response}");
        let result = &mut response["result"];
        assert_eq!(result["resultType"], "input_required", "{result}");
        let requests = result["inputRequests"].as_object().expect("requests");
        let requests = requests.clone().into_iter().collect();
        (result["requestState"].take(), requests)
    }
}

impl Drop for RawClient {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn all() -> Value {
    json!({"elicitation": {}, "sampling": {}})
}

fn accept(name: &str) -> Value {
    json!({"action": "accept", "content": {"name": name}})
}

fn sampled(text: &str) -> Value {
    let content = json!({"type": "text", "text": text});
    json!({"role": "assistant", "content": content, "model": "m"})
}

/// Returns a server whose tools log and send requests.
fn server() -> ToolServer {
    let greet = async |client: McpClient| {
        let text = match client.elicit("What is your name?").await? {
            Elicited::Accepted(Name { name }) => format!("Hello, {name}"),
            Elicited::Declined => "declined".to_owned(),
            Elicited::Cancelled => "cancelled".to_owned(),
        };
        Ok::<_, ToolError>(text)
    };
    let sample = async |client: McpClient| {
        let answer = client.sample(&SamplingRequest::new("Hi", 10)).await?;
        Ok::<_, ToolError>(answer.all_text())
    };
    let both = async |client: McpClient| {
        let request = SamplingRequest::new("Hi", 10);
        let (name, answer) = tokio::join!(client.elicit::<Name>("Who?"), client.sample(&request));
        let Name { name } = name?.accepted().ok_or("no name")?;
        Ok::<_, ToolError>(format!("{} {name}", answer?.all_text()))
    };
    let optional = async |client: McpClient| match client.elicit::<Name>("Who?").await {
        Err(McpClientError::Unsupported { capability }) => format!("without {capability}"),
        other => format!("{:?}", other.map(|answer| answer.accepted().is_some())),
    };
    let log = async |client: McpClient| {
        client.log(LogLevel::Info, "one");
        client.log(LogLevel::Error, json!({"two": 2}));
        "logged"
    };
    let invalid = async |client: McpClient| {
        let nested = json!({"type": "object", "properties": {"a": {"type": "object"}}});
        match client.elicit_with_schema("?", nested).await {
            Err(McpClientError::InvalidRequest(_)) => "invalid".to_owned(),
            other => format!("{other:?}"),
        }
    };
    ToolServer::new("s")
        .tool(Tool::new("greet", "Greets", greet))
        .tool(Tool::new("sample", "Samples", sample))
        .tool(Tool::new("both", "Asks twice", both))
        .tool(Tool::new("optional", "Asks if it can", optional))
        .tool(Tool::new("log", "Logs", log))
        .tool(Tool::new("invalid", "Asks for an object", invalid))
}

#[tokio::test(start_paused = true)]
async fn connected_client_answers_requests() {
    let mut client = RawClient::connected(server(), all()).await;
    client.call(1, "greet").await;
    let request = client.next().await;
    assert_eq!(request["method"], "elicitation/create");
    assert_eq!(request["params"]["message"], "What is your name?");
    let fields = &request["params"]["requestedSchema"]["properties"];
    assert_eq!(*fields, json!({"name": {"type": "string"}}));
    client.answer(&request, accept("Ada")).await;
    assert_eq!(client.text(1).await, "Hello, Ada");

    client.call(2, "greet").await;
    let request = client.next().await;
    client.answer(&request, json!({"action": "decline"})).await;
    assert_eq!(client.text(2).await, "declined");

    client.call(3, "both").await;
    let (first, second) = (client.next().await, client.next().await);
    assert_ne!(first["id"], second["id"]);
    assert_eq!(second["method"], "sampling/createMessage");
    assert_eq!(second["params"]["maxTokens"], 10);
    client.answer(&second, sampled("Hi")).await;
    client.answer(&first, accept("Bo")).await;
    assert_eq!(client.text(3).await, "Hi Bo");
}

#[tokio::test(start_paused = true)]
async fn connected_client_without_capabilities_gets_no_requests() {
    let mut client = RawClient::connected(server(), json!({"elicitation": {"url": {}}})).await;
    client.call(1, "greet").await;
    assert_eq!(
        client.text(1).await,
        "the MCP client does not support elicitation"
    );
    client.call(2, "sample").await;
    assert_eq!(
        client.text(2).await,
        "the MCP client does not support sampling"
    );
    client.call(3, "optional").await;
    assert_eq!(client.text(3).await, "without elicitation");
}

#[tokio::test(start_paused = true)]
async fn rejection_of_a_connected_client_is_an_error_of_the_tool() {
    let mut client = RawClient::connected(server(), all()).await;
    client.call(1, "greet").await;
    let request = client.next().await;
    let error = json!({"code": -32603, "message": "no user"});
    client
        .send(json!({"jsonrpc": "2.0", "id": request["id"], "error": error}))
        .await;
    let text = client.text(1).await;
    assert_eq!(
        text,
        "the MCP client rejected the request: no user (-32603)"
    );
}

#[tokio::test(start_paused = true)]
async fn timeout_and_cancellation_cancel_a_sent_request() {
    let mut client = RawClient::connected(server(), all()).await;
    client.call(1, "greet").await;
    let request = client.next().await;
    // The clock is paused: the timeout passes while nothing else happens.
    let mut lines = [client.next().await, client.next().await];
    lines.sort_by_key(|line| line["method"].is_null());
    assert_eq!(lines[0]["method"], "notifications/cancelled");
    assert_eq!(lines[0]["params"]["requestId"], request["id"]);
    let text = &lines[1]["result"]["content"][0]["text"];
    assert_eq!(text, "the MCP client did not answer within 600s");

    client.call(2, "greet").await;
    let request = client.next().await;
    let params = json!({"requestId": 2});
    client
        .send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
        .await;
    let cancelled = client.next().await;
    assert_eq!(cancelled["method"], "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], request["id"]);
}

#[tokio::test(start_paused = true)]
async fn connected_client_sets_the_log_level() {
    let mut client = RawClient::connected(server(), json!({})).await;
    client.call(1, "log").await;
    let message = client.next().await;
    assert_eq!(message["method"], "notifications/message");
    assert_eq!(message["params"], json!({"level": "info", "data": "one"}));
    let message = client.next().await;
    assert_eq!(
        message["params"],
        json!({"level": "error", "data": {"two": 2}})
    );
    assert_eq!(client.text(1).await, "logged");

    let level = json!({"level": "warning"});
    client.request(2, "logging/setLevel", level).await;
    assert_eq!(client.next().await["result"], json!({}));
    client.call(3, "log").await;
    assert_eq!(client.next().await["params"]["level"], "error");
    assert_eq!(client.text(3).await, "logged");
}

#[tokio::test(start_paused = true)]
async fn stateless_client_answers_in_its_next_call() {
    let mut client = RawClient::stateless(server(), all()).await;
    client.call(1, "greet").await;
    let (state, requests) = client.input_required(1).await;
    let [(key, request)] = &requests[..] else {
        panic!("{requests:?}");
    };
    assert_eq!(request["method"], "elicitation/create");
    assert_eq!(request["params"]["message"], "What is your name?");
    client
        .answer_input(2, "greet", &state, json!({key: accept("Ada"), "other": 7}))
        .await;
    assert_eq!(client.text(2).await, "Hello, Ada");

    // The state is used up.
    client
        .answer_input(3, "greet", &state, json!({key: accept("Ada")}))
        .await;
    assert_eq!(client.next().await["error"]["code"], -32602);
}

#[tokio::test(start_paused = true)]
async fn requests_made_together_are_one_result() {
    let mut client = RawClient::stateless(server(), all()).await;
    client.call(1, "both").await;
    let (state, requests) = client.input_required(1).await;
    let [(name, _), (greeting, sampling)] = &requests[..] else {
        panic!("{requests:?}");
    };
    assert_eq!(sampling["method"], "sampling/createMessage");

    // A missing or invalid answer is requested again, with another state.
    let answers = json!({name: accept("Bo"), greeting: {"text": "Hi"}});
    client.answer_input(2, "both", &state, answers).await;
    let (next_state, requests) = client.input_required(2).await;
    assert_ne!(next_state, state);
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].0, *greeting);
    client
        .answer_input(3, "both", &next_state, json!({greeting: sampled("Hi")}))
        .await;
    assert_eq!(client.text(3).await, "Hi Bo");
}

#[tokio::test(start_paused = true)]
async fn state_of_another_call_is_rejected() {
    let mut client = RawClient::stateless(server(), all()).await;
    client.call(1, "greet").await;
    let (state, requests) = client.input_required(1).await;
    let answers = json!({&requests[0].0: accept("Ada")});
    client
        .answer_input(2, "sample", &state, answers.clone())
        .await;
    assert_eq!(client.next().await["error"]["code"], -32602);
    let forged = json!("not a state");
    client
        .answer_input(3, "greet", &forged, answers.clone())
        .await;
    assert_eq!(client.next().await["error"]["code"], -32602);
    // The call still waits.
    client.answer_input(4, "greet", &state, answers).await;
    assert_eq!(client.text(4).await, "Hello, Ada");
}

#[tokio::test(start_paused = true)]
async fn stateless_call_that_needs_a_missing_capability_is_an_error() {
    let mut client = RawClient::stateless(server(), json!({"sampling": {}})).await;
    client.call(1, "greet").await;
    let error = &client.next().await["error"];
    assert_eq!(error["code"], -32021);
    let text = "the MCP client does not support elicitation";
    assert_eq!(error["message"], text);
    let required = &error["data"]["requiredCapabilities"];
    assert_eq!(*required, json!({"elicitation": {}}));
    // A tool that can do without succeeds.
    client.call(2, "optional").await;
    assert_eq!(client.text(2).await, "without elicitation");
}

#[tokio::test(start_paused = true)]
async fn stateless_client_sets_the_log_level_in_each_call() {
    let mut client = RawClient::stateless(server(), json!({})).await;
    client.call(1, "log").await;
    assert_eq!(client.text(1).await, "logged");
    client.meta["io.modelcontextprotocol/logLevel"] = json!("error");
    client.call(2, "log").await;
    assert_eq!(client.next().await["params"]["level"], "error");
    assert_eq!(client.text(2).await, "logged");
}

#[tokio::test(start_paused = true)]
async fn form_that_mcp_does_not_allow_is_not_sent() {
    let mut client = RawClient::stateless(server(), all()).await;
    client.call(1, "invalid").await;
    assert_eq!(client.text(1).await, "invalid");
}

/// Returns a server whose tool reports its end.
fn journaled() -> (ToolServer, UnboundedReceiver<&'static str>) {
    struct OnDrop(UnboundedSender<&'static str>);
    impl Drop for OnDrop {
        fn drop(&mut self) {
            let _ = self.0.send("dropped");
        }
    }
    let (journal, entries) = unbounded_channel();
    let ask = async move |client: McpClient, progress: Progress| {
        let on_drop = OnDrop(journal.clone());
        progress.report(1.0, 2.0);
        let client = client.timeout(Duration::from_secs(30));
        let text = match client.elicit::<Name>("Who?").await {
            Err(McpClientError::TimedOut(_)) => "timed out",
            _ => "answered",
        };
        let _ = on_drop.0.send(text);
        progress.report(2.0, 2.0);
        text
    };
    let server = ToolServer::new("s").tool(Tool::new("ask", "Asks", ask));
    (server, entries)
}

#[tokio::test(start_paused = true)]
async fn suspended_call_times_out_and_keeps_its_result_for_a_while() {
    let (server, mut journal) = journaled();
    let mut client = RawClient::stateless(server, all()).await;
    client.call(1, "ask").await;
    let (state, requests) = client.input_required(1).await;
    let answers = json!({&requests[0].0: accept("Ada")});
    assert_eq!(journal.recv().await, Some("timed out"));
    assert_eq!(journal.recv().await, Some("dropped"));
    // A late answer gets the result.
    client.answer_input(2, "ask", &state, answers.clone()).await;
    assert_eq!(client.text(2).await, "timed out");

    client.call(3, "ask").await;
    let (state, _) = client.input_required(3).await;
    assert_eq!(journal.recv().await, Some("timed out"));
    tokio::time::advance(Duration::from_secs(61)).await;
    tokio::task::yield_now().await;
    client.answer_input(4, "ask", &state, answers).await;
    assert_eq!(client.next().await["error"]["code"], -32602);
}

#[tokio::test(start_paused = true)]
async fn end_of_the_session_drops_suspended_calls() {
    let (server, mut journal) = journaled();
    let mut client = RawClient::stateless(server, all()).await;
    client.call(1, "ask").await;
    client.input_required(1).await;
    client.output.shutdown().await.expect("the stream closes");
    assert_eq!(journal.recv().await, Some("dropped"));
}

#[tokio::test(start_paused = true)]
async fn progress_of_a_resumed_call_has_the_token_of_its_request() {
    let (server, _journal) = journaled();
    let mut client = RawClient::stateless(server, all()).await;
    client.meta["progressToken"] = json!("first");
    client.call(1, "ask").await;
    assert_eq!(client.next().await["params"]["progressToken"], "first");
    let (state, requests) = client.input_required(1).await;
    client.meta["progressToken"] = json!("second");
    let answers = json!({&requests[0].0: accept("Ada")});
    client.answer_input(2, "ask", &state, answers).await;
    let report = client.next().await;
    assert_eq!(report["params"]["progressToken"], "second");
    assert_eq!(report["params"]["progress"], 2.0);
    assert_eq!(client.text(2).await, "answered");
}
