//! Calls of a session whose CLI was killed: a resumed session shows the model the outcome of each.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use inhouse::query;
use inhouse::tool::{Interrupted, Repair, Tool, ToolError, ToolServer};
use inhouse_store::memory::MemoryStore;
use inhouse_testkit::faulty_store::{Fault, FaultyStore, StoreCall};
use inhouse_testkit::{ModelRequest, Turn};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::stores::{ID, Machine, history, prompt};
use crate::world;

/// Returns the blocks of the conversation that the model saw: prompts, calls and results in order.
fn blocks(request: &ModelRequest) -> Vec<String> {
    let messages = request.body()["messages"].as_array().unwrap().clone();
    let content = messages
        .iter()
        .flat_map(|message| match &message["content"] {
            Value::Array(blocks) => blocks.clone(),
            text => vec![json!({"type": "text", "text": text})],
        });
    let described = content.filter_map(|block| match block["type"].as_str()? {
        "tool_use" => Some(format!("call {}", block["id"].as_str()?)),
        "tool_result" => {
            let text = match &block["content"] {
                Value::Array(blocks) => blocks[0]["text"].clone(),
                text => text.clone(),
            };
            Some(format!("result {}", text.as_str()?))
        }
        "text" => {
            let text = block["text"].as_str()?;
            let known = [
                "Charge the card.",
                "Let me charge.",
                "Continue from where you left off.",
            ];
            known
                .iter()
                .find(|known| text.contains(**known))
                .map(|text| (*text).to_owned())
        }
        _ => None,
    });
    described.collect()
}

#[tokio::test]
async fn call_that_was_killed_at_its_start_is_repaired() {
    world::pinned(async |world| {
        let (store, root) = (MemoryStore::new(), tempfile::tempdir().unwrap());
        let [first, second] = [(); 2].map(|()| Machine::new(world, &store, root.path()));
        let call = Turn::new().text("Let me charge.").tool_use_with_id(
            "toolu_1",
            "mcp__bank__charge",
            json!({"cents": 5}),
        );
        world.model.turn(call).turn("Continued.");
        let (running, mut is_running) = mpsc::unbounded_channel();
        let charge = Tool::new("charge", "Charges the card", async move || {
            running.send(()).unwrap();
            std::future::pending::<&str>().await
        });
        let repaired = async |call: Interrupted| {
            assert_eq!((&*call.id, &call.input), ("toolu_1", &json!({"cents": 5})));
            Ok::<_, ToolError>(Repair::result("found the charge"))
        };
        let server = ToolServer::new("bank").tool(charge.on_interrupted(repaired));
        let allowed = ["mcp__bank__charge"];
        let options = first.options().session_id(ID).allow_tools(allowed);
        let options = options.tool_server(server.clone());
        let stream = query(prompt()).options(options).await.unwrap();
        is_running.recv().await.unwrap();
        drop(stream);
        first.abandoned().await;

        let options = second.options().resume(ID).allow_tools(allowed);
        let answer = second.ask(prompt(), options.tool_server(server)).await;
        assert_eq!(answer, "Continued.");
        let request = &world.model.conversation()[1];
        let expected = [
            "Charge the card.",
            "Let me charge.",
            "call toolu_1",
            "result found the charge",
            "Continue from where you left off.",
        ];
        assert_eq!(blocks(request), expected, "{}", history(request));
    })
    .await;
}

#[tokio::test]
async fn finished_call_is_not_repeated_and_its_result_not_lost() {
    world::pinned(async |world| {
        let (store, root) = (MemoryStore::new(), tempfile::tempdir().unwrap());
        let [first, second] = [(); 2].map(|()| Machine::new(world, &store, root.path()));
        // The second of two calls is cut off: its result is recorded, and the CLI gets no answer.
        let calls = Turn::new()
            .tool_use_with_id("toolu_1", "mcp__bank__charge", json!({"cents": 5}))
            .tool_use_with_id("toolu_2", "mcp__bank__charge", json!({"cents": 7}));
        world.model.turn(calls).turn("Continued.");
        let faulty = FaultyStore::new(store.clone());
        let faults = faulty.faults();
        faults.next(StoreCall::Finish, Fault::None);
        faults.next(StoreCall::Finish, Fault::HangAfterwards);
        let charges = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&charges);
        let charge = Tool::new("charge", "Charges the card", async move || {
            let charge = counted.fetch_add(1, Ordering::SeqCst) + 1;
            format!("charge {charge}")
        });
        let server = ToolServer::new("bank").tool(charge);
        let allowed = ["mcp__bank__charge"];
        let options = first.options().store(faulty.clone()).session_id(ID);
        let options = options.allow_tools(allowed).tool_server(server.clone());
        let stream = query(prompt()).options(options).await.unwrap();
        while faults.calls(StoreCall::Finish) < 2 {
            tokio::task::yield_now().await;
        }
        drop(stream);
        first.abandoned().await;

        let options = second.options().resume(ID).allow_tools(allowed);
        let answer = second.ask(prompt(), options.tool_server(server)).await;
        assert_eq!(answer, "Continued.");
        assert_eq!(charges.load(Ordering::SeqCst), 2);
        let request = &world.model.conversation()[1];
        let expected = [
            "Charge the card.",
            "call toolu_1",
            "call toolu_2",
            "result charge 1",
            "result charge 2",
            "Continue from where you left off.",
        ];
        assert_eq!(blocks(request), expected, "{}", history(request));
    })
    .await;
}
