use std::time::Duration;

use inhouse::tool::{Cancelled, Input, Tool, ToolServer};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::json;
use tokio::sync::oneshot;

#[tokio::test]
async fn panic_is_an_error_result_without_its_text() {
    let server = ToolServer::new("s")
        .tool(Tool::new("boom", "Boom", async || -> String {
            panic!("the pump broke")
        }))
        .tool(Tool::new("ok", "Ok", async || "fine"));
    let result = server.call("boom", json!({})).await;
    assert!(result.is_error);
    // Without the text of the panic, which may quote secrets.
    assert_eq!(result.all_text(), "the tool `boom` failed: it panicked");
    assert_eq!(server.call("ok", json!({})).await.all_text(), "fine");
}

#[tokio::test]
async fn panic_in_deserialize_is_an_error_result() {
    #[derive(JsonSchema)]
    struct Bomb;
    impl<'de> Deserialize<'de> for Bomb {
        fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
            panic!("in the arguments")
        }
    }
    let tool = Tool::new("boom", "Boom", async |Input(Bomb): Input<Bomb>| ());
    let result = ToolServer::new("s")
        .tool(tool)
        .call("boom", json!({}))
        .await;
    assert!(result.is_error);
    assert_eq!(result.all_text(), "the tool `boom` failed: it panicked");
}

#[tokio::test]
async fn unknown_tool_is_named_in_the_error() {
    let result = ToolServer::new("calc").call("ad", json!({})).await;
    assert!(result.is_error);
    assert_eq!(
        result.all_text(),
        "there is no tool `ad` on the server `calc`"
    );
}

#[tokio::test(start_paused = true)]
async fn timed_out_call_is_dropped_and_is_an_error() {
    let (dropped, was_dropped) = oneshot::channel::<()>();
    let dropped = std::sync::Arc::new(std::sync::Mutex::new(Some(dropped)));
    let tool = Tool::new("slow", "Slow", async move |cancelled: Cancelled| {
        let guard = dropped.lock().expect("not poisoned").take();
        cancelled.wait().await;
        drop(guard);
    })
    .timeout(Duration::from_secs(5));
    let server = ToolServer::new("s")
        .timeout(Duration::from_secs(1))
        .tool(tool);
    let started = tokio::time::Instant::now();
    let result = server.call("slow", json!({})).await;
    assert_eq!(
        started.elapsed(),
        Duration::from_secs(5),
        "the tool's timeout overrides the server's"
    );
    assert!(result.is_error);
    assert!(result.all_text().contains("5s"), "{}", result.all_text());
    was_dropped
        .await
        .expect_err("dropping the handler drops its guard");
}

#[tokio::test(start_paused = true)]
async fn server_timeout_applies_to_tools_without_one() {
    let tool = Tool::new("slow", "Slow", async || std::future::pending::<()>().await);
    let server = ToolServer::new("s")
        .timeout(Duration::from_secs(1))
        .tool(tool);
    assert!(server.call("slow", json!({})).await.is_error);
}
