use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use inhouse::tool::{State, Tool, ToolServer};
use serde_json::json;
use tokio::sync::Barrier;
use tokio::task::JoinSet;
use tokio::time::Instant;

#[derive(Clone, Default)]
struct Gauge {
    now: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

/// Records how many calls run at once, and yields so that others can start.
async fn work(State(gauge): State<Gauge>) {
    let now = gauge.now.fetch_add(1, Ordering::SeqCst) + 1;
    gauge.most.fetch_max(now, Ordering::SeqCst);
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    gauge.now.fetch_sub(1, Ordering::SeqCst);
}

async fn most_at_once(server: ToolServer<Gauge>, gauge: &Gauge, tools: &[&'static str]) -> usize {
    let mut calls = JoinSet::new();
    for index in 0..30 {
        let (server, tool) = (server.clone(), tools[index % tools.len()]);
        calls.spawn(async move { server.call(tool, json!({})).await });
    }
    for result in calls.join_all().await {
        assert!(!result.is_error);
    }
    gauge.most.load(Ordering::SeqCst)
}

#[tokio::test]
async fn calls_run_concurrently_without_a_limit() {
    // The barrier opens only once all calls run.
    let barrier = Arc::new(Barrier::new(30));
    let tool = Tool::new(
        "meet",
        "Meet",
        async |State(barrier): State<Arc<Barrier>>| {
            barrier.wait().await;
        },
    );
    let server = ToolServer::with_state("s", barrier).tool(tool);
    let mut calls = JoinSet::new();
    for _ in 0..30 {
        let server = server.clone();
        calls.spawn(async move { server.call("meet", json!({})).await });
    }
    assert_eq!(calls.join_all().await.len(), 30);
}

#[tokio::test]
async fn tool_concurrency_limits_its_calls() {
    let gauge = Gauge::default();
    let server =
        ToolServer::with_state("s", gauge.clone()).tool(Tool::new("a", "A", work).concurrency(3));
    assert_eq!(most_at_once(server, &gauge, &["a"]).await, 3);
}

#[tokio::test]
async fn server_concurrency_limits_all_tools_together() {
    let gauge = Gauge::default();
    let server = ToolServer::with_state("s", gauge.clone())
        .concurrency(4)
        .tool(Tool::new("a", "A", work))
        .tool(Tool::new("b", "B", work));
    assert_eq!(most_at_once(server, &gauge, &["a", "b"]).await, 4);
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_permit_counts_toward_the_timeout() {
    let endless = Tool::new("wait", "Wait", async || pending::<()>().await)
        .concurrency(1)
        .timeout(Duration::from_secs(10));
    let server = ToolServer::new("s").tool(endless);
    let start = Instant::now();
    let (first, second) = tokio::join!(
        server.call("wait", json!({})),
        server.call("wait", json!({}))
    );
    assert!(first.is_error && second.is_error);
    assert_eq!(start.elapsed(), Duration::from_secs(10));
}
