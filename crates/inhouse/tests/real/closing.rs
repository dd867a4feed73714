//! `close` in the middle of a turn.

use std::future::pending;
use std::time::Duration;

use inhouse::permission::{CanUseTool, Decision};
use inhouse::process::{ExitStatus, ShutdownTiming};
use inhouse::tool::{Tool, ToolServer};
use inhouse::{Asked, Client, HandlerError, Options};
use inhouse_testkit::Turn;
use serde_json::json;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::world::{self, World};

/// Options under which the host never terminates the CLI.
fn never_terminating(world: &World) -> Options {
    let never = Duration::from_secs(3600);
    world
        .options()
        .shutdown(ShutdownTiming::default().grace(never).term(never))
}

/// Closes a client in the middle of its only turn: the CLI exits by itself, and sends no request to the model
/// any more.
async fn close(world: &World, client: Client) {
    let pid = client.control().pid().unwrap();
    let exit = client.close().await.unwrap();
    // The exit code of a CLI whose last turn was interrupted.
    assert_eq!(exit, Some(ExitStatus::with_code(1)));
    world::gone(pid).await;
    assert_eq!(world.model.conversation().len(), 1);
}

/// A server with a tool that reports its call and then never ends.
fn endless(called: UnboundedSender<()>) -> ToolServer {
    ToolServer::new("s").tool(Tool::new("wait", "Waits", async move || {
        called.send(()).expect("the test holds the receiver");
        pending::<String>().await
    }))
}

#[tokio::test]
async fn cli_exits_by_itself_on_close_during_a_tool_call() {
    world::pinned(async |world| {
        let (called, mut calls) = unbounded_channel();
        let call = Turn::new().tool_use_with_id("toolu_1", "mcp__s__wait", json!({}));
        world.model.turn(call);
        world.model.otherwise(|_| "Going on.");
        let options = never_terminating(world).tool_server(endless(called));
        let mut client = world.connect(options.allow_tools(["mcp__s"])).await;
        drop(client.send("Wait.").await.unwrap());
        calls.recv().await.unwrap();

        close(world, client).await;
    })
    .await;
}

async fn close_while_the_model_streams(world: &World) {
    world.model.turn(Turn::new().text("Once upon a").stall());
    let mut client = world.connect(never_terminating(world)).await;
    drop(client.send("Tell.").await.unwrap());
    world.next_request().await;

    close(world, client).await;
}

#[tokio::test]
async fn cli_exits_by_itself_on_close_while_the_model_streams() {
    world::pinned(close_while_the_model_streams).await;
}

#[tokio::test]
async fn oldest_cli_exits_by_itself_on_close_while_the_model_streams() {
    world::oldest(close_while_the_model_streams).await;
}

#[tokio::test]
async fn close_during_a_permission_request_runs_nothing() {
    world::pinned(async |world| {
        let (sender, mut questions) = unbounded_channel();
        let command = json!({"command": "touch ran"});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "Bash", command));
        world.model.otherwise(|_| "Going on.");
        let options = never_terminating(world).permissions(async move |_: Asked<CanUseTool>| {
            sender.send(()).expect("the test holds the receiver");
            pending::<Result<Decision, HandlerError>>().await
        });
        let mut client = world.connect(options).await;
        drop(client.send("Touch it.").await.unwrap());
        questions.recv().await.unwrap();

        close(world, client).await;

        assert!(!world.cwd().join("ran").exists());
    })
    .await;
}

#[tokio::test]
async fn closing_with_a_queued_prompt_ends_the_cli_by_itself() {
    world::pinned(async |world| {
        world.model.turn(Turn::new().text("Once upon a").stall());
        world.model.otherwise(|_| "Going on.");
        let mut client = world.connect(never_terminating(world)).await;
        drop(client.send("First?").await.unwrap());
        world.next_request().await;
        client.control().send("Second?").await.unwrap();
        // Its reply proves that the CLI has read the prompt before.
        client.control().models().await.unwrap();

        close(world, client).await;
    })
    .await;
}
