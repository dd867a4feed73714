//! The session that a tool sees.

use std::sync::{Arc, Mutex};

use inhouse::tool::{Progress, Tool, ToolError, ToolServer};
use inhouse::{Client, Options, Session};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

use crate::support::{call, exchange, request, response, text};

/// A tool that switches the model of its session.
fn think_harder() -> Tool {
    Tool::new("think_harder", "Thinks harder", async |session: Session| {
        let control = session.control();
        let control = control.ok_or_else(|| ToolError::new("there is no session"))?;
        control.set_model(Some("opus")).await?;
        Ok::<_, ToolError>("opus")
    })
}

#[tokio::test(start_paused = true)]
async fn tool_controls_its_session_while_it_runs() {
    let options = Options::new().tool_server(ToolServer::new("s").tool(think_harder()));
    FakeCli::play_cli(options, async |cli| {
        let asked = cli
            .mcp_message("s", call(1, "think_harder", json!({})))
            .await;
        let request = cli.expect_request("set_model").await;
        assert_eq!(request.body()["model"], "opus");
        request.succeed_empty().await;
        assert_eq!(response(cli, &asked).await, text(1, "opus"));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn tool_sees_the_session_id_after_init() {
    let id = Tool::new("id", "Id", async |session: Session| {
        session.id().unwrap_or_default()
    });
    let options = Options::new().tool_server(ToolServer::new("s").tool(id));
    FakeCli::play_cli(options, async |cli| {
        let before = exchange(cli, "s", call(1, "id", json!({}))).await;
        assert_eq!(before, text(1, ""));
        cli.init().await;
        let session = cli.session_id().to_owned();
        assert!(!session.is_empty());
        let after = exchange(cli, "s", call(2, "id", json!({}))).await;
        assert_eq!(after, text(2, &session));
    })
    .await;
}

#[tokio::test]
async fn tool_called_directly_has_no_session() {
    let server = ToolServer::new("s").tool(think_harder());
    let result = server.call("think_harder", json!({})).await;
    assert!(result.is_error);
    assert_eq!(result.all_text(), "there is no session");
}

#[tokio::test(start_paused = true)]
async fn kept_session_handle_does_not_keep_the_session_open() {
    let kept: Arc<Mutex<Option<Session>>> = Arc::default();
    let keep = Tool::new("keep", "Keep", {
        let kept = Arc::clone(&kept);
        async move |session: Session| *kept.lock().unwrap() = Some(session)
    });
    let (transport, mut cli) = FakeCli::new();
    let (called, is_called) = oneshot::channel();
    let host = async {
        let options = Options::new().tool_server(ToolServer::new("s").tool(keep));
        let client = Client::connect_with(options, transport).await.unwrap();
        is_called.await.unwrap();
        drop(client);
    };
    let cli = async {
        cli.accept().await;
        exchange(&mut cli, "s", call(1, "keep", json!({}))).await;
        called.send(()).unwrap();
        cli.expect_end_of_input().await;
    };
    join(host, cli).await;
    let session = kept.lock().unwrap().take().expect("the tool was called");
    assert!(session.control().is_none());
}

#[tokio::test(start_paused = true)]
async fn tool_called_before_initialize_completes_sees_no_reply() {
    let commands = Tool::new("commands", "Commands", async |session: Session| {
        let control = session.control().expect("the transport is being opened");
        control.initialization().commands.is_none()
    });
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let options = Options::new().tool_server(ToolServer::new("s").tool(commands));
        let client = Client::connect_with(options, transport).await.unwrap();
        client.close().await.unwrap();
    };
    let cli = async {
        let initialize = cli.expect_request("initialize").await;
        let early = exchange(&mut cli, "s", call(1, "commands", json!({}))).await;
        assert_eq!(early, text(1, "true"));
        initialize.succeed(json!({"commands": []})).await;
        cli.expect_end_of_input().await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn progress_after_the_call_is_not_sent() {
    let (sender, mut receiver) = mpsc::unbounded_channel::<Progress>();
    let leak = Tool::new("leak", "Leak", async move |progress: Progress| {
        sender
            .send(progress)
            .map_err(|_| ToolError::new("the receiver is closed"))
    });
    let options = Options::new().tool_server(ToolServer::new("s").tool(leak));
    FakeCli::play_cli(options, async |cli| {
        let params = json!({"name": "leak", "arguments": {}, "_meta": {"progressToken": 1}});
        let asked = cli.mcp_message("s", request(1, "tools/call", params)).await;
        response(cli, &asked).await;
        // `play_cli` fails if the host sends anything else.
        receiver
            .recv()
            .await
            .expect("the value was sent")
            .report(1.0, None);
    })
    .await;
}
