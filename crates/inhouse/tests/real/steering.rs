//! Prompts sent into a running turn.

use std::sync::Arc;

use inhouse::message::{Message, Priority, Prompt, TerminalReason};
use inhouse::tool::{Cancelled, State, Tool, ToolServer};
use inhouse::{Client, SteerReceipt, SteerState};
use inhouse_testkit::{ModelRequest, Turn};
use serde_json::json;
use tokio::sync::Notify;

use crate::world::{self, World, assistant_texts};

/// Events of the tool `wait`, which waits for `release`.
#[derive(Default)]
struct Gate {
    started: Notify,
    release: Notify,
}

/// Connects a client with the tool `wait`, which the model calls first; then it answers "Two." and "Three.".
async fn connect(world: &World, gate: &Arc<Gate>) -> Client {
    let call = Turn::new().tool_use_with_id("toolu_1", "mcp__s__wait", json!({}));
    world.model.turn(call).turn("Two.").turn("Three.");
    let wait = async |State(gate): State<Arc<Gate>>, cancelled: Cancelled| {
        gate.started.notify_one();
        tokio::select! {
            () = gate.release.notified() => {}
            () = cancelled.wait() => {}
        }
        "waited"
    };
    let server = ToolServer::with_state("s", Arc::clone(gate))
        .always_load()
        .tool(Tool::new("wait", "Waits", wait));
    let options = world.options().tool_server(server).allow_tools(["mcp__s"]);
    world.connect(options).await
}

/// Sends a prompt, steers its turn while the tool runs, and reads the turn.
async fn steer(world: &World, priority: Priority) -> (SteerReceipt, Vec<Message>) {
    let gate = Arc::new(Gate::default());
    let mut client = connect(world, &gate).await;
    let control = client.control().clone();
    let mut turn = client.send("First?").await.unwrap();
    gate.started.notified().await;
    let steering = Prompt::from("Use metric units.").priority(priority);
    let receipt = turn.steer(steering).await.unwrap();
    // The response proves that the CLI has read the earlier prompt.
    control.models().await.unwrap();
    gate.release.notify_one();
    let messages = world.read(turn).await;
    (receipt, messages)
}

fn results(messages: &[Message]) -> Vec<Option<&str>> {
    let results = messages.iter().filter_map(|message| match message {
        Message::Result(result) => Some(result.result.as_deref()),
        _ => None,
    });
    results.collect()
}

/// Returns whether the model received the steering prompt in this request.
fn has_steering(request: &ModelRequest) -> bool {
    request.body()["messages"]
        .to_string()
        .contains("Use metric units.")
}

#[tokio::test]
async fn prompt_sent_while_a_tool_runs_joins_the_turn() {
    world::pinned(async |world| {
        let (receipt, messages) = steer(world, Priority::Next).await;

        assert_eq!(receipt.state(), SteerState::Joined);
        assert_eq!(results(&messages), [Some("Two.")]);
        let requests = world.model.conversation();
        assert_eq!(requests.len(), 2);
        assert!(!has_steering(&requests[0]));
        assert!(has_steering(&requests[1]));
        assert_eq!(requests[1].tool_results()[0].text, "waited");
    })
    .await;
}

#[tokio::test]
async fn later_prompt_starts_a_turn_after_the_running_one() {
    world::pinned(async |world| {
        let (receipt, messages) = steer(world, Priority::Later).await;

        assert_eq!(receipt.state(), SteerState::OwnTurn);
        assert_eq!(results(&messages), [Some("Two."), Some("Three.")]);
        let requests = world.model.conversation();
        let seen: Vec<_> = requests.iter().map(has_steering).collect();
        assert_eq!(seen, [false, false, true]);
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn prompt_for_now_aborts_the_running_turn() {
    world::pinned(async |world| {
        let (receipt, messages) = steer(world, Priority::Now).await;

        assert_eq!(receipt.state(), SteerState::OwnTurn);
        assert_eq!(assistant_texts(&messages), ["Two."]);
        let reasons = messages.iter().filter_map(|message| match message {
            Message::Result(result) => Some(result.terminal_reason.clone()),
            _ => None,
        });
        let reasons: Vec<_> = reasons.collect();
        assert_eq!(reasons.len(), 2);
        assert_eq!(reasons[0], Some(TerminalReason::AbortedTools));
        let requests = world.model.conversation();
        assert_eq!(requests.len(), 2);
        assert!(has_steering(&requests[1]));
        assert!(requests[1].tool_results()[0].text.contains("interrupted"));
    })
    .await;
}

#[tokio::test]
async fn prompt_sent_while_the_model_writes_its_answer_starts_the_next_turn() {
    world::pinned(async |world| {
        world
            .model
            .turn(Turn::new().text("One.").stall())
            .turn("Two.");
        let mut client = world.connect(world.options()).await;
        let control = client.control().clone();
        let mut turn = client.send("First?").await.unwrap();
        world.next_request().await;
        let receipt = turn.steer("Use metric units.").await.unwrap();
        control.models().await.unwrap();
        world.model.release();
        let messages = world.read(turn).await;

        assert_eq!(receipt.state(), SteerState::OwnTurn);
        assert_eq!(results(&messages), [Some("One."), Some("Two.")]);
        assert!(has_steering(&world.next_request().await));
        world.model.assert_done();
    })
    .await;
}
