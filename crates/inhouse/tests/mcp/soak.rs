//! Many calls: each is answered once, and no memory or task remains.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use inhouse::Options;
use inhouse::tool::{Input, State, Tool, ToolServer};
use inhouse_testkit::FakeCli;
use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::support::{call, text};

const CALLS: usize = 10_000;
const IN_FLIGHT: usize = 256;

/// The number of idle worker tasks that a session keeps.
const KEPT: usize = 64;

/// Large enough that leaked calls show: 5,000 of them are 40 MiB.
const ARGUMENT: usize = 8 * 1024;

struct Work {
    together: Barrier,
    running: AtomicUsize,
    most: AtomicUsize,
}

async fn work(State(work): State<Arc<Work>>, Input(arguments): Input<Value>) -> String {
    let running = work.running.fetch_add(1, Ordering::SeqCst) + 1;
    work.most.fetch_max(running, Ordering::SeqCst);
    let number = arguments["number"].as_u64().expect("a number");
    if number < IN_FLIGHT as u64 {
        work.together.wait().await;
    }
    // Some calls take longer, so that they do not end in order.
    for _ in 0..number % 7 {
        tokio::task::yield_now().await;
    }
    work.running.fetch_sub(1, Ordering::SeqCst);
    number.to_string()
}

/// Makes calls with constant concurrency, and checks each response.
async fn half(cli: &mut FakeCli, first: usize) {
    let mut open = HashMap::new();
    let mut next = 0;
    while next < CALLS / 2 || !open.is_empty() {
        while next < CALLS / 2 && open.len() < IN_FLIGHT {
            let (id, number) = (next, first + next);
            let arguments = json!({"number": number, "padding": "x".repeat(ARGUMENT)});
            let asked = cli.mcp_message("s", call(id, "work", arguments)).await;
            open.insert(asked, (id, number));
            next += 1;
        }
        let (asked, answer) = cli.expect_any_answer().await;
        let (id, number) = open.remove(&asked).expect("the request is still open");
        let response = &answer.payload()["mcp_response"];
        assert_eq!(*response, text(id, &number.to_string()));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn promise_08_ten_thousand_calls_are_each_answered_once() {
    let state = Arc::new(Work {
        together: Barrier::new(IN_FLIGHT),
        running: AtomicUsize::new(0),
        most: AtomicUsize::new(0),
    });
    let server =
        ToolServer::with_state("s", Arc::clone(&state)).tool(Tool::new("work", "Works", work));
    let before = tasks();
    FakeCli::play_cli(Options::new().tool_server(server), async |cli| {
        let at_rest = Resources::of(&state);
        half(cli, 0).await;
        wait_for_tasks(at_rest.tasks + KEPT).await;
        let after_half = Resources::of(&state);
        // Reuses the ids of the first half: an id that is still open would be refused.
        half(cli, CALLS / 2).await;
        wait_for_tasks(at_rest.tasks + KEPT).await;
        let after_all = Resources::of(&state);

        assert_eq!(state.most.load(Ordering::SeqCst), IN_FLIGHT);
        assert!(after_all.tasks <= after_half.tasks, "more tasks are left");
        for holdings in [&after_half, &after_all] {
            assert_eq!(holdings.states, at_rest.states, "handlers that are left");
        }
        let grown = after_all.resident.saturating_sub(after_half.resident);
        assert!(grown < 16 << 20, "{grown} bytes in the second half");
    })
    .await;
    wait_for_tasks(before).await;
}

/// Waits until at most this many tasks are alive.
async fn wait_for_tasks(most: usize) {
    let wait = async {
        while tasks() > most {
            tokio::task::yield_now().await;
        }
    };
    let deadline = Duration::from_secs(10);
    let waited = tokio::time::timeout(deadline, wait).await;
    assert!(waited.is_ok(), "{} tasks remain instead of {most}", tasks());
}

fn tasks() -> usize {
    tokio::runtime::Handle::current()
        .metrics()
        .num_alive_tasks()
}

/// The resources of a session.
struct Resources {
    states: usize,
    tasks: usize,
    resident: usize,
}

impl Resources {
    fn of(state: &Arc<Work>) -> Self {
        Self {
            states: Arc::strong_count(state),
            tasks: tasks(),
            resident: resident(),
        }
    }
}

/// Returns the memory of this process in bytes; 0 if it is unknown.
fn resident() -> usize {
    const PAGE: usize = 4096;
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split_whitespace().nth(1);
    pages
        .and_then(|pages| pages.parse::<usize>().ok())
        .unwrap_or_default()
        * PAGE
}
