//! The same tools with the client of `rmcp`: native behind the bridge, served by `rmcp`, and served by `rmcp`
//! behind the bridge.

use std::time::Duration;

use inhouse::Options;
use inhouse::rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, CustomRequest, PingRequest,
    ProgressNotificationParam, ProtocolVersion, ServerNotification, ServerResult,
    SubscriptionFilter,
};
use inhouse::rmcp::service::{
    NotificationContext, PeerRequestOptions, RunningService, ServiceError,
};
use inhouse::rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient, ServiceExt};
use inhouse::tool::{
    Cancelled, Content, Input, Json, Progress, Tool, ToolDefinition, ToolError, ToolHandle,
    ToolServer,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::DuplexStream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

use crate::forwarder::bridged;

const DEADLINE: Duration = Duration::from_secs(20);

#[tokio::test]
async fn native_backend_conforms() {
    let (tools, subject) = subject();
    let options = Options::new().tool_server(tools);
    let (_client, stream) = bridged(options).await;
    check_tools(stream, subject, json!([])).await;
}

#[tokio::test]
async fn rmcp_server_conforms() {
    let (tools, subject) = subject();
    let (theirs, ours) = tokio::io::duplex(64 * 1024);
    let serving = tokio::spawn(async move {
        let handler = tools.into_rmcp().expect("valid tools");
        let served = handler.serve(ours).await;
        served.expect("a handshake").waiting().await
    });
    check_tools(theirs, subject, quotient_as_text()).await;
    let ended = timeout(DEADLINE, serving).await;
    ended
        .expect("the session ends with its client")
        .expect("the task does not panic")
        .expect("the task does not panic");
}

#[tokio::test]
async fn rmcp_server_behind_the_bridge_conforms() {
    let (tools, subject) = subject();
    let handler = tools.into_rmcp().expect("valid tools");
    let options = Options::new().rmcp_server("tools", move || handler.clone());
    let (_client, stream) = bridged(options).await;
    check_tools(stream, subject, quotient_as_text()).await;
}

/// Since protocol version 2026-07-28 there is no handshake, and clients subscribe to changes.
#[tokio::test]
async fn rmcp_server_conforms_without_a_handshake() {
    let (tools, subject) = subject();
    let (theirs, ours) = tokio::io::duplex(64 * 1024);
    let handler = tools.into_rmcp().expect("valid tools");
    let serving = async { handler.serve(ours).await.expect("a client") };
    let lifecycle = ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    };
    let checks = async {
        let (sender, _events) = unbounded_channel();
        let client = Listener(sender).serve_with_lifecycle(theirs, lifecycle);
        let client = client.await.expect("a server");
        for (tool, arguments) in [
            ("divide", json!({"a": 84, "b": 2})),
            ("divide", json!({"a": 84, "b": 0})),
            ("picture", json!({})),
        ] {
            let result = call_raw(&client, tool, arguments).await;
            assert_eq!(result["resultType"], "complete", "{result}");
        }
        let divided = call(&client, "divide", json!({"a": 84, "b": 2})).await;
        assert_eq!(divided["structuredContent"], json!({"quotient": 42.0}));
        assert_eq!(divided["content"], quotient_as_text());

        let mut wanted = SubscriptionFilter::default();
        wanted.tools_list_changed = Some(true);
        let mut changes = client.listen(wanted).await.expect("a subscription");
        let fly = Tool::new("fly", "Flies", async || "up");
        subject.handle.put(fly).expect("a valid tool");
        let change = changes.next().await;
        assert!(
            matches!(
                change,
                Ok(Some(ServerNotification::ToolListChangedNotification(_)))
            ),
            "{change:?}"
        );
    };
    let checks = timeout(DEADLINE, async { tokio::join!(serving, checks) });
    checks.await.expect("every task completes");
}

#[derive(Deserialize, JsonSchema)]
struct Divide {
    /// The dividend
    a: f64,
    /// The divisor
    b: f64,
}

#[derive(Serialize, JsonSchema)]
struct Quotient {
    quotient: f64,
}

/// A handle to change the tools of a server, and the journal of their calls.
struct Subject {
    handle: ToolHandle,
    journal: UnboundedReceiver<&'static str>,
}

fn subject() -> (ToolServer, Subject) {
    let (entries, journal) = unbounded_channel();
    let server = ToolServer::new("tools")
        .version("2.0.0")
        .instructions("Use them well.")
        .tools(tools(entries));
    let handle = server.handle();
    (server, Subject { handle, journal })
}

fn tools(journal: UnboundedSender<&'static str>) -> [Tool; 5] {
    let divide = async |Input(Divide { a, b }): Input<Divide>| {
        if b == 0.0 {
            return Err(ToolError::new("division by zero"));
        }
        Ok(Json(Quotient { quotient: a / b }))
    };
    let picture = async || {
        vec![
            Content::text("See:"),
            Content::image("image/png", "AAAA"),
            Content::audio("audio/wav", "BBBB"),
            Content::resource_text("notes://a", "A"),
            Content::resource_link("notes://b", "b"),
        ]
    };
    let steps = async |progress: Progress| {
        progress.report(1.0, 2.0);
        progress.report_with_message(2.0, 2.0, "there");
        "done"
    };
    let wait = async move |cancelled: Cancelled| {
        let events = journal.clone();
        tokio::spawn(async move {
            cancelled.wait().await;
            let _ = events.send("cancelled");
        });
        let _dropped = OnDrop(journal.clone());
        let _ = journal.send("begun");
        std::future::pending::<()>().await;
    };
    [
        Tool::new("divide", "Divide two numbers", divide)
            .title("Division")
            .read_only(true)
            .search_hint("arithmetic"),
        Tool::new("picture", "A picture", picture),
        Tool::new("steps", "Takes steps", steps),
        Tool::new("panic", "Panics", async || -> String { panic!("oh no") }),
        Tool::new("wait", "Waits", wait),
    ]
}

/// Records when the future that holds it is dropped.
struct OnDrop(UnboundedSender<&'static str>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        let _ = self.0.send("dropped");
    }
}

/// The notifications that a client received.
#[derive(Debug, PartialEq)]
enum ClientEvent {
    Progress(ProgressNotificationParam),
    ToolsChanged,
}

struct Listener(UnboundedSender<ClientEvent>);

impl ClientHandler for Listener {
    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let _ = self.0.send(ClientEvent::Progress(params));
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.0.send(ClientEvent::ToolsChanged);
    }
}

/// The text content that MCP requires beside the structured content of `divide`.
fn quotient_as_text() -> Value {
    json!([{"type": "text", "text": r#"{"quotient":42.0}"#}])
}

/// Checks everything that a client can see of [`tools`].
///
/// `quotient` is the expected content beside the structured content of `divide`.
async fn check_tools(stream: DuplexStream, mut subject: Subject, quotient: Value) {
    let checks = async {
        let (sender, mut events) = unbounded_channel();
        let client = Listener(sender).serve(stream).await.expect("a handshake");
        has_server_info(&client);
        lists(&client).await;
        calls(&client, &quotient).await;
        fails(&client).await;
        reports_progress(&client, &mut events).await;
        cancels(&client, &mut subject.journal).await;
        notifies_of_changes(&client, &subject.handle, &mut events).await;
        client.cancel().await.expect("the client exits");
    };
    timeout(DEADLINE, checks)
        .await
        .expect("every task completes");
}

type Connected = RunningService<RoleClient, Listener>;

fn has_server_info(client: &Connected) {
    let server = client.peer_info().expect("the handshake is complete");
    let server = serde_json::to_value(&*server).expect("JSON");
    assert_eq!(server["protocolVersion"], "2025-11-25");
    assert_eq!(server["serverInfo"]["name"], "tools");
    assert_eq!(server["serverInfo"]["version"], "2.0.0");
    assert_eq!(server["instructions"], "Use them well.");
    assert_eq!(
        server["capabilities"],
        json!({"logging": {}, "tools": {"listChanged": true}})
    );
}

async fn lists(client: &Connected) {
    let listed = client.list_all_tools().await.expect("a list");
    let own: Vec<ToolDefinition> = tools(unbounded_channel().0)
        .iter()
        .map(|tool| tool.definition().clone())
        .collect();
    assert_eq!(
        serde_json::to_value(listed).expect("JSON"),
        serde_json::to_value(own).expect("JSON"),
    );
}

async fn calls(client: &Connected, quotient: &Value) {
    let divided = call_raw(client, "divide", json!({"a": 84, "b": 2})).await;
    assert_eq!(divided["structuredContent"], json!({"quotient": 42.0}));
    assert_eq!(divided["content"], *quotient);
    // Versions before 2026-07-28 do not have the member.
    assert_eq!(divided.get("resultType"), None);

    let picture = call(client, "picture", json!({})).await;
    assert_eq!(
        picture["content"],
        json!([
            {"type": "text", "text": "See:"},
            {"type": "image", "mimeType": "image/png", "data": "AAAA"},
            {"type": "audio", "mimeType": "audio/wav", "data": "BBBB"},
            {"type": "resource", "resource": {"uri": "notes://a", "text": "A"}},
            {"type": "resource_link", "uri": "notes://b", "name": "b"},
        ])
    );
    client
        .send_request(ClientRequest::PingRequest(PingRequest::default()))
        .await
        .expect("a pong");
}

async fn fails(client: &Connected) {
    for (tool, arguments, text) in [
        ("divide", json!({"a": 1, "b": 0}), "division by zero"),
        ("divide", json!({"a": 1}), "missing field `b`"),
        ("panic", json!({}), "the tool `panic` failed: it panicked"),
        ("fly", json!({}), "there is no tool `fly`"),
    ] {
        let failed = call(client, tool, arguments).await;
        assert_eq!(failed["isError"], true, "{failed}");
        let message = failed["content"][0]["text"].as_str().expect("text");
        assert!(message.contains(text), "{message}");
    }
    let unknown = ClientRequest::CustomRequest(CustomRequest::new("tools/burn", None));
    let ServiceError::McpError(error) = client
        .send_request(unknown)
        .await
        .expect_err("there is no such method")
    else {
        panic!("an error of the server");
    };
    assert_eq!(error.code.0, -32601);
    assert!(error.message.contains("tools/burn"), "{}", error.message);
    // The server declares tools only, and so must not answer these with empty lists.
    for method in [
        "completion/complete",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
    ] {
        let params = json!({
            "ref": {"type": "ref/prompt", "name": "p"},
            "argument": {"name": "a", "value": "v"},
        });
        let request = ClientRequest::CustomRequest(CustomRequest::new(method, Some(params)));
        let answer = client.send_request(request).await;
        let Err(ServiceError::McpError(error)) = answer else {
            panic!("{method}: {answer:?}");
        };
        assert_eq!(error.code.0, -32601, "{method}");
    }
}

async fn reports_progress(client: &Connected, events: &mut UnboundedReceiver<ClientEvent>) {
    let request = CallToolRequest::new(CallToolRequestParams::new("steps"));
    let running = client
        .send_cancellable_request(request.into(), PeerRequestOptions::no_options())
        .await
        .expect("the server exists");
    let token = running.progress_token.clone();
    let ServerResult::CallToolResult(result) = running.await_response().await.expect("a result")
    else {
        panic!("the result of a tool");
    };
    assert_eq!(result.content[0].as_text().expect("text").text, "done");
    // `rmcp` handles each notification in a separate task, so in any order.
    let mut reports = [events.recv().await, events.recv().await].map(|event| match event {
        Some(ClientEvent::Progress(report)) => report,
        event => panic!("{event:?}"),
    });
    reports.sort_by(|one, other| one.progress.total_cmp(&other.progress));
    let first = ProgressNotificationParam::new(token.clone(), 1.0).with_total(2.0);
    let second = ProgressNotificationParam::new(token, 2.0).with_total(2.0);
    assert_eq!(reports, [first, second.with_message("there")]);
}

async fn cancels(client: &Connected, journal: &mut UnboundedReceiver<&'static str>) {
    let request = CallToolRequest::new(CallToolRequestParams::new("wait"));
    let running = client
        .send_cancellable_request(request.into(), PeerRequestOptions::no_options())
        .await
        .expect("the server exists");
    assert_eq!(journal.recv().await, Some("begun"));
    let cancelled = running.cancel(Some("no longer wanted".to_owned())).await;
    cancelled.expect("the server exists");
    let mut noted = [journal.recv().await, journal.recv().await];
    noted.sort();
    assert_eq!(noted, [Some("cancelled"), Some("dropped")]);
}

async fn notifies_of_changes(
    client: &Connected,
    handle: &ToolHandle,
    events: &mut UnboundedReceiver<ClientEvent>,
) {
    let fly = Tool::new("fly", "Flies", async || "up");
    handle.put(fly).expect("a valid tool");
    assert_eq!(events.recv().await, Some(ClientEvent::ToolsChanged));
    let listed = client.list_all_tools().await.expect("a list");
    assert!(listed.iter().any(|tool| tool.name == "fly"));
    assert_eq!(
        call(client, "fly", json!({})).await["content"][0]["text"],
        "up"
    );
}

async fn call(client: &Connected, tool: &'static str, arguments: Value) -> Value {
    let mut result = call_raw(client, tool, arguments).await;
    // Only present from 2026-07-28 on.
    if let Some(members) = result.as_object_mut() {
        members.remove("resultType");
    }
    result
}

async fn call_raw(client: &Connected, tool: &'static str, arguments: Value) -> Value {
    let mut params = CallToolRequestParams::new(tool);
    params.arguments = arguments.as_object().cloned();
    let result = client.call_tool(params).await.expect("a result");
    serde_json::to_value(result).expect("JSON")
}
