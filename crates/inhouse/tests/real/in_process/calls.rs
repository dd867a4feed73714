//! Calls: concurrent, sequential, cancelled, and in many sessions.

use std::future::pending;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use inhouse::control::PermissionMode;
use inhouse::tool::{CallId, Cancelled, Progress, State, Tool, ToolError, ToolServer};
use inhouse::{Control, Session, query};
use inhouse_testkit::{ModelRequest, Turn};
use serde_json::json;
use tokio::sync::{Barrier, Notify, mpsc};

use super::{calling, connect, seen};
use crate::world::{self, assistant_texts, result_of};

#[tokio::test]
async fn promise_07_read_only_tools_run_concurrently() {
    world::pinned(async |world| {
        let two = Turn::new()
            .tool_use_with_id("toolu_1", "mcp__s__meet", json!({}))
            .tool_use_with_id("toolu_2", "mcp__s__meet", json!({}));
        world.model.turn(two).turn("Done.");
        // Neither ends before the other has started.
        let meet = async |State(both): State<Arc<Barrier>>, CallId(id)| {
            both.wait().await;
            id
        };
        let server = ToolServer::with_state("s", Arc::new(Barrier::new(2)))
            .always_load()
            .tool(Tool::new("meet", "Meets the other", meet).read_only(true));
        let mut client = connect(world, server).await;

        assert_eq!(world.ask(&mut client, "Meet.").await, "Done.");

        let seen = seen(world);
        for (result, id) in seen.iter().zip(["toolu_1", "toolu_2"]) {
            assert_eq!((result.id.as_str(), result.text.as_str()), (id, id));
        }
        assert_eq!(seen.len(), 2);
    })
    .await;
}

/// The events of calls, and their session.
#[derive(Default)]
struct Diary {
    entries: Mutex<Vec<String>>,
    control: OnceLock<Control>,
}

impl Diary {
    fn note(&self, entry: String) {
        self.entries
            .lock()
            .expect("the lock is not poisoned")
            .push(entry);
    }
}

#[tokio::test]
async fn promise_07_other_tools_run_one_at_a_time() {
    world::pinned(async |world| {
        let two = Turn::new()
            .tool_use_with_id("toolu_1", "mcp__s__work", json!({}))
            .tool_use_with_id("toolu_2", "mcp__s__work", json!({}));
        world.model.turn(two).turn("Done.");
        let work = async |State(diary): State<Arc<Diary>>, CallId(id)| {
            diary.note(format!("{id} began"));
            // The CLI writes in order: an earlier call would come before this.
            let control = diary.control.get().expect("the session is open");
            control.mcp_status().await?;
            diary.note(format!("{id} ended"));
            Ok::<_, inhouse::Error>(id)
        };
        let diary = Arc::new(Diary::default());
        let server = ToolServer::with_state("s", Arc::clone(&diary))
            .always_load()
            .tool(Tool::new("work", "Works", work));
        let mut client = connect(world, server).await;
        diary.control.get_or_init(|| client.control().clone());

        assert_eq!(world.ask(&mut client, "Work.").await, "Done.");

        let entries = diary.entries.lock().unwrap().clone();
        let expected = [
            "toolu_1 began",
            "toolu_1 ended",
            "toolu_2 began",
            "toolu_2 ended",
        ];
        assert_eq!(entries, expected);
        assert!(seen(world).iter().all(|result| !result.is_error));
    })
    .await;
}

/// Reports that it was dropped.
struct Dropped(mpsc::UnboundedSender<&'static str>);

impl Drop for Dropped {
    fn drop(&mut self) {
        let _ = self.0.send("dropped");
    }
}

/// A server whose tool `wait` never ends, and reports its events.
fn endless() -> (ToolServer, mpsc::UnboundedReceiver<&'static str>) {
    let (sender, events) = mpsc::unbounded_channel();
    let wait = move |cancelled: Cancelled| {
        let sender = sender.clone();
        async move {
            let elsewhere = sender.clone();
            tokio::spawn(async move {
                cancelled.wait().await;
                let _ = elsewhere.send("cancelled");
            });
            sender.send("began").expect("the test holds the receiver");
            let _dropped = Dropped(sender);
            pending::<()>().await;
        }
    };
    let wait = Tool::new("wait", "Never ends", wait);
    (ToolServer::new("s").always_load().tool(wait), events)
}

async fn expect_stopped(events: &mut mpsc::UnboundedReceiver<&'static str>) {
    let mut stopped = [events.recv().await, events.recv().await];
    stopped.sort_unstable();
    assert_eq!(stopped, [Some("cancelled"), Some("dropped")]);
}

#[tokio::test]
async fn promise_09_interrupt_drops_the_handler() {
    world::pinned(async |world| {
        let wait = Turn::new().tool_use_with_id("toolu_1", "mcp__s__wait", json!({}));
        world.model.turn(wait).turn("Fresh.");
        let (server, mut events) = endless();
        let mut client = connect(world, server).await;
        let control = client.control().clone();

        let turn = client.send("Wait.").await.unwrap();
        let interrupting = async {
            assert_eq!(events.recv().await, Some("began"));
            control.interrupt().await.unwrap();
            expect_stopped(&mut events).await;
        };
        let ((), messages) = tokio::join!(interrupting, world.read(turn));

        assert!(result_of(&messages).is_error);
        assert_eq!(world.ask(&mut client, "Again.").await, "Fresh.");
    })
    .await;
}

#[tokio::test]
async fn promise_09_call_cancelled_by_the_cli_is_dropped() {
    world::pinned(async |world| {
        calling(world, [("wait", json!({}))]);
        let (server, mut events) = endless();
        let options = world
            .options()
            .env("MCP_TOOL_TIMEOUT", "1000")
            .tool_server(server)
            .allow_tools(["mcp__s"]);
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Wait.").await, "Done.");

        assert_eq!(events.recv().await, Some("began"));
        expect_stopped(&mut events).await;
        let seen = seen(world);
        assert!(seen[0].is_error);
        assert!(seen[0].text.contains("timed out"), "{}", seen[0].text);
    })
    .await;
}

#[tokio::test]
async fn progress_is_accepted() {
    world::pinned(async |world| {
        calling(world, [("work", json!({})), ("work", json!({}))]);
        let work = async |progress: Progress| {
            for step in 0..100 {
                progress.report_with_message(f64::from(step), 100.0, "working");
            }
            "worked"
        };
        let server = ToolServer::new("s")
            .always_load()
            .tool(Tool::new("work", "Works", work));
        let mut client = connect(world, server).await;

        assert_eq!(world.ask(&mut client, "Work.").await, "Done.");

        for result in seen(world) {
            assert_eq!((result.text.as_str(), result.is_error), ("worked", false));
        }
    })
    .await;
}

#[tokio::test]
async fn tools_with_one_name_on_two_servers_are_distinct() {
    world::pinned(async |world| {
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "mcp__left__who", json!({})))
            .turn(Turn::new().tool_use_with_id("toolu_2", "mcp__right__who", json!({})))
            .turn("Done.");
        let server = |name: &'static str| {
            let who = Tool::new("who", "Tells where it is", async move || name);
            ToolServer::new(name).always_load().tool(who)
        };
        let options = world
            .options()
            .tool_server(server("left"))
            .tool_server(server("right"))
            .allow_tools(["mcp__left", "mcp__right"]);
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Who?").await, "Done.");

        let seen = seen(world);
        assert_eq!(seen[0].text, "left");
        assert_eq!(seen[1].text, "right");
    })
    .await;
}

#[tokio::test]
async fn promise_06_one_definition_serves_eight_sessions_at_once() {
    const SESSIONS: usize = 8;
    world::pinned(async |world| {
        world.model.otherwise(
            |request: &ModelRequest| match request.tool_results().first() {
                None => Turn::new().tool_use_with_id("toolu_1", "mcp__s__meet", json!({})),
                Some(result) => Turn::new().text(result.text.clone()),
            },
        );
        // All sessions have to be here concurrently.
        let meet = async |State(all): State<Arc<Barrier>>| {
            all.wait().await;
            "met"
        };
        let server = ToolServer::with_state("s", Arc::new(Barrier::new(SESSIONS)))
            .always_load()
            .tool(Tool::new("meet", "Meets the others", meet));
        let ask = async || {
            let options = world
                .options()
                .tool_server(server.clone())
                .allow_tools(["mcp__s"]);
            let messages = world.read_query(query("Meet.").options(options)).await;
            assistant_texts(&messages)
        };

        let (a, b, c, d, e, f, g, h) =
            tokio::join!(ask(), ask(), ask(), ask(), ask(), ask(), ask(), ask());

        for texts in [a, b, c, d, e, f, g, h] {
            assert_eq!(texts, ["met"]);
        }
    })
    .await;
}

#[tokio::test]
async fn tool_added_during_a_session_is_called() {
    world::pinned(async |world| {
        calling(world, [("old", json!({}))]);
        calling(world, [("new", json!({}))]);
        calling(world, [("old", json!({}))]);
        let server =
            ToolServer::new("s")
                .always_load()
                .tool(Tool::new("old", "Was there", async || "old"));
        let tools = server.handle();
        let mut client = connect(world, server).await;
        let control = client.control().clone();
        let listed = async |wanted: &[&str]| {
            // Each request is a round trip to the CLI.
            loop {
                let status = control.mcp_status().await.expect("the session is alive");
                let listed = status[0].tools.iter().flatten();
                let names: Vec<&str> = listed.map(|tool| tool.name.as_str()).collect();
                if names == wanted {
                    break;
                }
            }
        };

        assert_eq!(world.ask(&mut client, "First.").await, "Done.");
        let new = Tool::new("new", "Came later", async || "new");
        tools.put(new).unwrap();
        listed(&["old", "new"]).await;
        assert_eq!(world.ask(&mut client, "Second.").await, "Done.");
        tools.remove("old");
        listed(&["new"]).await;
        assert_eq!(world.ask(&mut client, "Third.").await, "Done.");

        let seen = seen(world);
        assert_eq!((seen[0].text.as_str(), seen[0].is_error), ("old", false));
        assert_eq!((seen[1].text.as_str(), seen[1].is_error), ("new", false));
        assert!(seen[2].is_error, "{:?}", seen[2]);
        world.model.assert_done();
    })
    .await;
}

/// The call of a server without a timeout shows when `MCP_TOOL_TIMEOUT` has passed: the CLI cancels it.
#[tokio::test]
async fn timeout_of_a_server_replaces_mcp_tool_timeout() {
    world::pinned(async |world| {
        let both = Turn::new()
            .tool_use_with_id("toolu_1", "mcp__s__outlast", json!({}))
            .tool_use_with_id("toolu_2", "mcp__other__hang", json!({}));
        world.model.turn(both).turn("Done.");
        let over = Arc::new(Notify::new());
        let outlast = Tool::new("outlast", "Ends after the other", {
            let over = Arc::clone(&over);
            move || {
                let over = Arc::clone(&over);
                async move {
                    over.notified().await;
                    "outlasted"
                }
            }
        });
        let hang = Tool::new("hang", "Never ends", move |cancelled: Cancelled| {
            let over = Arc::clone(&over);
            tokio::spawn(async move {
                cancelled.wait().await;
                over.notify_one();
            });
            pending::<()>()
        });
        let server = ToolServer::new("s").timeout(Duration::from_secs(60));
        let options = world
            .options()
            .env("MCP_TOOL_TIMEOUT", "1500")
            .tool_server(server.tool(outlast.read_only(true)))
            .tool_server(ToolServer::new("other").tool(hang.read_only(true)))
            .allow_tools(["mcp__s", "mcp__other"]);
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Go.").await, "Done.");

        // They are in order of arrival.
        let mut seen = seen(world);
        seen.sort_by(|one, other| one.id.cmp(&other.id));
        assert_eq!(
            (seen[0].text.as_str(), seen[0].is_error),
            ("outlasted", false)
        );
        assert!(seen[1].is_error, "{:?}", seen[1]);
        assert!(seen[1].text.contains("timed out"), "{:?}", seen[1]);
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn tool_controls_its_session() {
    world::pinned(async |world| {
        let plan = Tool::new("plan", "Plan", async |session: Session| {
            let control = session
                .control()
                .ok_or_else(|| ToolError::new("no session"))?;
            control.set_permission_mode(PermissionMode::Plan).await?;
            Ok::<_, ToolError>(session.id().unwrap_or_default())
        });
        calling(world, [("plan", json!({}))]);
        let mut client = connect(world, ToolServer::new("s").tool(plan)).await;
        let result = client.send("Plan!").await.unwrap().finish().await.unwrap();
        assert_eq!(seen(world)[0].text, result.session_id);
    })
    .await;
}
