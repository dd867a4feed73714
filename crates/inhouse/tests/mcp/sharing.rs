//! One server definition in any number of sessions.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use inhouse::Options;
use inhouse::tool::{State, Tool, ToolServer};
use inhouse_testkit::FakeCli;
use serde_json::json;
use tokio::sync::Barrier;
use tokio::task::{JoinSet, LocalSet};

use crate::support::{call, exchange, text};

const SESSIONS: usize = 8;

struct Meeting {
    all: Barrier,
    calls: AtomicUsize,
}

#[tokio::test(start_paused = true)]
async fn promise_06_one_definition_serves_eight_sessions_at_once() {
    let meeting = Meeting {
        all: Barrier::new(SESSIONS),
        calls: AtomicUsize::new(0),
    };
    let meet = async |State(meeting): State<Arc<Meeting>>| {
        // All sessions have to be here concurrently.
        meeting.all.wait().await;
        meeting.calls.fetch_add(1, Ordering::SeqCst);
        "met"
    };
    let meeting = Arc::new(meeting);
    let server = ToolServer::with_state("s", Arc::clone(&meeting)).tool(Tool::new(
        "meet",
        "Meets the others",
        meet,
    ));
    let (here, mut sessions) = (LocalSet::new(), JoinSet::new());
    for _ in 0..SESSIONS {
        let options = Options::new().tool_server(server.clone());
        // The same id in every session.
        sessions.spawn_local_on(
            FakeCli::play_cli(options, async |cli| {
                let initialize = cli.launched().initialize().clone();
                assert_eq!(initialize["sdkMcpServers"], json!(["s"]));
                for _ in 0..3 {
                    let met = exchange(cli, "s", call(2, "meet", json!({}))).await;
                    assert_eq!(met, text(2, "met"));
                }
            }),
            &here,
        );
    }
    here.run_until(sessions.join_all()).await;
    assert_eq!(meeting.calls.load(Ordering::SeqCst), 3 * SESSIONS);
}

#[tokio::test(start_paused = true)]
async fn promise_06_ended_session_leaves_the_definition_unchanged() {
    let count = async |State(count): State<Arc<AtomicUsize>>| count.fetch_add(1, Ordering::SeqCst);
    let server = ToolServer::with_state("s", Arc::new(AtomicUsize::new(0))).tool(Tool::new(
        "count",
        "Counts its calls",
        count,
    ));
    for calls in 0..3 {
        let options = Options::new().tool_server(server.clone());
        FakeCli::play_cli(options, async |cli| {
            let counted = exchange(cli, "s", call(2, "count", json!({}))).await;
            assert_eq!(counted, text(2, &calls.to_string()));
        })
        .await;
    }
    assert_eq!(server.call("count", json!({})).await.all_text(), "3");
}
