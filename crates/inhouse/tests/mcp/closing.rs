//! Messages of servers while a session closes.

use std::convert::Infallible;
use std::future::pending;
use std::time::Duration;

use inhouse::tool::{Tool, ToolServer};
use inhouse::{Client, ExitStatus, Options};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Resolves when every other task is idle: the paused clock advances only then.
async fn idle() {
    timeout(Duration::from_millis(1), pending::<()>())
        .await
        .expect_err("it is pending forever");
}

#[tokio::test(start_paused = true)]
async fn server_messages_do_not_follow_the_end_of_input() {
    // More than fits into the pipe of the fake.
    let long = "x".repeat(300_000);
    let server = ToolServer::new("s");
    let tools = server.handle();
    let options = Options::new()
        .tool_server(server)
        .on_request("long", move |_: Value| {
            let long = long.clone();
            async move { Ok::<_, Infallible>(json!(long)) }
        });
    let (transport, mut cli) = FakeCli::new();
    let (asked, until_asked) = oneshot::channel();
    let (changed, until_changed) = oneshot::channel();
    let host = async {
        let client = Client::connect_with(options, transport).await.unwrap();
        until_asked.await.unwrap();
        // The response is being written, so stdin cannot be closed yet.
        idle().await;
        let change = async {
            idle().await;
            tools
                .put(Tool::new("late", "Comes late", async || "late"))
                .unwrap();
            idle().await;
            changed.send(()).unwrap();
        };
        tokio::join!(client.close(), change).0
    };
    let cli = async move {
        cli.accept().await;
        let id = cli.ask(json!({"subtype": "long"})).await;
        asked.send(()).unwrap();
        until_changed.await.unwrap();
        cli.expect_answer(&id).await;
        cli.expect_end_of_input().await;
    };
    let (exit, ()) = join(host, cli).await;
    assert_eq!(exit.unwrap(), Some(ExitStatus::with_code(0)));
}
