//! The settings of `#[tool(…)]`.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use inhouse::tool;
use inhouse::tool::{Tool, ToolServer};
use serde_json::{json, to_value};
use tokio::sync::Barrier;

const ABOUT: &str = "Do it all";
const LIMIT: Duration = Duration::from_millis(5);

/// Replaced by the description below.
#[tool(
    name = "everything-2",
    description = ABOUT,
    title = "Everything",
    destructive,
    idempotent,
    open_world,
    always_load,
    search_hint = concat!("all", " at once"),
    max_result_size = 100_000,
    concurrency = 2,
    timeout = LIMIT,
)]
async fn everything() {}

/// Run two calls at a time.
#[tool(concurrency = 2)]
async fn two_at_once() -> usize {
    static RUNNING: AtomicUsize = AtomicUsize::new(0);
    static PAIR: LazyLock<Barrier> = LazyLock::new(|| Barrier::new(2));
    let running = RUNNING.fetch_add(1, Ordering::SeqCst) + 1;
    // Opens for two calls.
    PAIR.wait().await;
    RUNNING.fetch_sub(1, Ordering::SeqCst);
    running
}

/// Change nothing.
#[tool(read_only, destructive = false, open_world = false)]
async fn careful() {}

/// Set every hint to false.
#[tool(
    read_only = false,
    destructive = false,
    idempotent = false,
    open_world = false
)]
async fn all_false() {}

/// Delete, with both hints set.
#[tool(read_only = false, destructive)]
async fn deletes() {}

/// Never end.
#[tool(timeout = LIMIT * 2)]
async fn never() {
    std::future::pending::<()>().await;
}

#[test]
fn every_setting_is_in_the_definition() {
    let tool: Tool = everything::tool();
    let expected = json!({
        "name": "everything-2",
        "title": "Everything",
        "description": "Do it all",
        "inputSchema": {"type": "object", "properties": {}},
        "annotations": {"destructiveHint": true, "idempotentHint": true, "openWorldHint": true},
        "_meta": {
            "anthropic/alwaysLoad": true,
            "anthropic/searchHint": "all at once",
            "anthropic/maxResultSizeChars": 100_000,
        },
    });
    assert_eq!(to_value(tool.definition()).unwrap(), expected);
}

#[test]
fn hints_can_be_true_or_false() {
    let tool: Tool = careful::tool();
    let expected = json!({"readOnlyHint": true, "destructiveHint": false, "openWorldHint": false});
    assert_eq!(to_value(&tool.definition().annotations).unwrap(), expected);
}

#[test]
fn each_hint_can_be_false() {
    let tool: Tool = all_false::tool();
    let expected = json!({
        "readOnlyHint": false,
        "destructiveHint": false,
        "idempotentHint": false,
        "openWorldHint": false,
    });
    assert_eq!(to_value(&tool.definition().annotations).unwrap(), expected);
    let tool: Tool = deletes::tool();
    let expected = json!({"readOnlyHint": false, "destructiveHint": true});
    assert_eq!(to_value(&tool.definition().annotations).unwrap(), expected);
}

#[tokio::test]
async fn tool_is_called_by_its_set_name() {
    let server = ToolServer::new("test").tool(everything::tool());
    assert!(!server.call("everything-2", json!({})).await.is_error);
    assert!(server.call("everything", json!({})).await.is_error);
}

#[tokio::test(start_paused = true)]
async fn call_times_out_after_its_timeout() {
    let server = ToolServer::new("test").tool(never::tool());
    let result = server.call("never", json!({})).await;
    assert!(result.is_error);
    assert!(result.all_text().contains("10ms"), "{}", result.all_text());
}

#[tokio::test]
async fn concurrency_limits_running_calls() {
    let server = ToolServer::new("test").tool(two_at_once::tool());
    let call = || server.call("two_at_once", json!({}));
    let results = tokio::join!(call(), call(), call(), call());
    for result in [results.0, results.1, results.2, results.3] {
        assert!(
            ["1", "2"].contains(&result.all_text().as_str()),
            "{}",
            result.all_text()
        );
    }
}
