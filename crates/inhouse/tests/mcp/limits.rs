//! Timeouts and concurrency limits of tools.

use std::future::pending;
use std::time::Duration;

use inhouse::Options;
use inhouse::tool::{Tool, ToolServer};
use inhouse_testkit::FakeCli;
use serde_json::json;
use tokio::time::{Instant, timeout};

use crate::probe::endless;

fn endless_tool(name: &str) -> Tool {
    Tool::new(name, "Never ends", async || pending::<()>().await)
}

#[tokio::test(start_paused = true)]
async fn promise_10_tool_timeout_overrides_server_timeout() {
    let server = ToolServer::new("s")
        .timeout(Duration::from_secs(600))
        .tool(endless_tool("by_server"))
        .tool(endless_tool("by_tool").timeout(Duration::from_secs(7)))
        .tool(endless_tool("longer").timeout(Duration::from_secs(50_000)));
    FakeCli::play_cli(Options::new().tool_server(server), async |cli| {
        for (tool, seconds) in [("by_server", 600), ("by_tool", 7), ("longer", 50_000)] {
            let start = Instant::now();
            let result = cli.call_tool("s", tool, json!({})).await;
            let took = start.elapsed().as_secs();
            assert!(result.is_error);
            let text = result.all_text();
            assert!(text.contains(&format!("`{tool}`")), "{text}");
            assert!(text.contains(&format!("{seconds}s")), "{text}");
            assert_eq!(took, seconds);
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn promise_10_tool_without_timeout_can_run_for_hours() {
    const HOURS: Duration = Duration::from_secs(20 * 60 * 60);
    let tool = Tool::new("slow", "A slow tool", async || {
        // Simulates long work on the paused clock.
        let work = timeout(HOURS, std::future::pending::<()>()).await;
        assert!(work.is_err());
        "done"
    });
    let server = ToolServer::new("s").tool(tool);
    FakeCli::play_cli(Options::new().tool_server(server), async |cli| {
        let start = Instant::now();
        let result = cli.call_tool("s", "slow", json!({})).await;
        assert_eq!(result.all_text(), "done");
        assert!(start.elapsed() >= HOURS);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn call_is_dropped_at_its_timeout() {
    let (wait, mut journal) = endless("wait");
    let server = ToolServer::new("s").tool(wait.timeout(Duration::from_secs(1)));
    FakeCli::play_cli(Options::new().tool_server(server), async |cli| {
        let result = cli.call_tool("s", "wait", json!({})).await;
        assert!(result.is_error);
    })
    .await;
    assert_eq!(journal.next().await, "toolu_1 began");
    journal.expect_stopped("toolu_1").await;
}

#[tokio::test(start_paused = true)]
async fn call_waiting_for_a_tool_permit_holds_no_server_permit() {
    let slow = endless_tool("slow")
        .concurrency(1)
        .timeout(Duration::from_secs(10));
    let server = ToolServer::new("s")
        .concurrency(2)
        .tool(slow)
        .tool(Tool::new("quick", "Is quick", async || "done"));
    FakeCli::play_cli(Options::new().tool_server(server), async |cli| {
        let start = Instant::now();
        let first = cli.begin_tool_call("s", "slow", json!({})).await;
        let second = cli.begin_tool_call("s", "slow", json!({})).await;
        let quick = cli.call_tool("s", "quick", json!({})).await;
        assert_eq!(quick.all_text(), "done");
        assert_eq!(start.elapsed().as_secs(), 0, "one of two turns was free");
        // The timeout of the second call runs from its request.
        for _ in 0..2 {
            let (asked, answer) = cli.expect_any_answer().await;
            assert!([first.request_id(), second.request_id()].contains(&&*asked));
            let response = &answer.payload()["mcp_response"];
            assert_eq!(response["result"]["isError"], true, "{response}");
            assert_eq!(start.elapsed().as_secs(), 10);
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn cancelled_call_releases_its_permit() {
    let (wait, mut journal) = endless("wait");
    let server = ToolServer::new("s").tool(wait.concurrency(1));
    FakeCli::play_cli(Options::new().tool_server(server), async |cli| {
        let first = cli.begin_tool_call("s", "wait", json!({})).await;
        cli.begin_tool_call("s", "wait", json!({})).await;
        assert_eq!(journal.next().await, "toolu_1 began");
        cli.cancel(first.request_id()).await;
        let mut entries = Vec::new();
        for _ in 0..3 {
            entries.push(journal.next().await);
        }
        entries.sort();
        let expected = ["toolu_1 cancelled", "toolu_1 dropped", "toolu_2 began"];
        assert_eq!(entries, expected);
        cli.ignore("control_response");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn permit_is_released_when_the_handler_is_dropped() {
    use std::sync::{Arc, Condvar, Mutex};

    #[derive(Default)]
    struct Door {
        began: Mutex<usize>,
        more: Condvar,
    }
    /// A handler that blocks while it is dropped.
    struct Leaving(Arc<Door>, tokio::sync::mpsc::UnboundedSender<usize>);
    impl Drop for Leaving {
        fn drop(&mut self) {
            let began = self.0.began.lock().expect("the task does not panic");
            let limit = Duration::from_millis(300);
            let met = self
                .0
                .more
                .wait_timeout_while(began, limit, |began| *began < 2);
            let _ = self.1.send(*met.expect("the task does not panic").0);
        }
    }

    let door = Arc::new(Door::default());
    let (left, mut leaving) = tokio::sync::mpsc::unbounded_channel();
    let (begun, mut beginning) = tokio::sync::mpsc::unbounded_channel();
    let at_work = Arc::clone(&door);
    let wait = Tool::new("wait", "Waits", move || {
        let (door, left, begun) = (Arc::clone(&at_work), left.clone(), begun.clone());
        async move {
            *door.began.lock().expect("the task does not panic") += 1;
            door.more.notify_all();
            let _ = begun.send(());
            let _leaving = Leaving(door, left);
            pending::<()>().await;
        }
    });
    let server = ToolServer::new("s").tool(wait.concurrency(1));
    let call = || {
        let server = server.clone();
        tokio::spawn(async move { server.call("wait", json!({})).await })
    };
    let first = call();
    beginning.recv().await.expect("the handler starts");
    // Not in a task, which would wait behind the dropped one on the same thread.
    let seen = async {
        tokio::task::yield_now().await;
        first.abort();
        leaving.recv().await.expect("the first handler is dropped")
    };
    let seen = tokio::select! {
        biased;
        _ = server.call("wait", json!({})) => unreachable!("it waits forever"),
        seen = seen => seen,
    };
    assert_eq!(seen, 1, "the second started before the first was dropped");
}
