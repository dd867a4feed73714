//! Deferred calls, made after resume.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use inhouse::hook::*;
use inhouse::message::Message;
use inhouse::tool::{Tool, ToolServer};
use inhouse::{Client, Options, query};
use inhouse_testkit::Turn;
use serde_json::json;

use crate::world::{self, World, result_of};

/// A session with an in-process tool that counts its calls.
fn with_counting_tool(world: &World, rung: &Arc<AtomicUsize>) -> Options {
    let rung = Arc::clone(rung);
    let ring = move || {
        let rung = Arc::clone(&rung);
        async move { format!("ding {}", rung.fetch_add(1, Ordering::SeqCst) + 1) }
    };
    let bell = ToolServer::new("bell").tool(Tool::new("ring", "Rings the bell", ring));
    world.options().tool_server(bell).allow_tools(["mcp__bell"])
}

/// Reads the result of a session that continues without a prompt.
async fn result_without_prompt(client: &mut Client) -> String {
    while let Some(message) = client.messages().next().await {
        if let Message::Result(result) = message.expect("the session is alive") {
            return result.into_inner().result.unwrap_or_default();
        }
    }
    panic!("the session ended without a result");
}

#[tokio::test]
async fn promise_19_deferred_call_of_an_in_process_tool_runs_after_resume() {
    world::pinned(async |world| {
        let rung = Arc::new(AtomicUsize::new(0));
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "mcp__bell__ring", json!({})))
            .turn("It rang.");
        let later = with_counting_tool(world, &rung).hook(
            Matcher::tool("mcp__bell__ring"),
            async |_: PreToolUse, _| Ok(HookOutput::defer()),
        );

        let messages = world.read_query(query("Ring.").options(later)).await;
        let result = result_of(&messages);
        let deferred = result
            .deferred_tool_use
            .as_ref()
            .expect("the call is deferred");
        assert_eq!(
            (deferred.id.as_str(), deferred.name.as_str()),
            ("toolu_1", "mcp__bell__ring")
        );
        assert_eq!(rung.load(Ordering::SeqCst), 0);
        assert_eq!(world.model.conversation().len(), 1);

        let seen = Arc::new(AtomicUsize::new(0));
        let counting = {
            let seen = Arc::clone(&seen);
            async move |call: PreToolUse, context: HookContext| {
                assert_eq!(call.tool_use_id, "toolu_1");
                assert_eq!(context.tool_use_id(), Some("toolu_1"));
                seen.fetch_add(1, Ordering::SeqCst);
                Ok(HookOutput::allow())
            }
        };
        let now = with_counting_tool(world, &rung)
            .resume(&result.session_id)
            .hook(Matcher::any(), counting);
        let mut client = world.connect(now).await;

        assert_eq!(result_without_prompt(&mut client).await, "It rang.");
        assert_eq!(rung.load(Ordering::SeqCst), 1, "once, and only now");
        assert_eq!(seen.load(Ordering::SeqCst), 1, "a hook has agreed to it");
        let read = world.model.conversation()[1].tool_results();
        assert_eq!(
            (read[0].id.as_str(), read[0].text.as_str()),
            ("toolu_1", "ding 1")
        );
        world.model.assert_done();
    })
    .await;
}

/// The hook is called before the deferred call is made, and can deny it.
#[tokio::test]
async fn deferred_call_can_be_denied_after_resume() {
    world::pinned(async |world| {
        let rung = Arc::new(AtomicUsize::new(0));
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "mcp__bell__ring", json!({})))
            .turn("It stays silent.");
        let later = with_counting_tool(world, &rung)
            .hook(Matcher::any(), async |_: PreToolUse, _| {
                Ok(HookOutput::defer())
            });
        let messages = world.read_query(query("Ring.").options(later)).await;

        let now = with_counting_tool(world, &rung)
            .resume(&result_of(&messages).session_id)
            .hook(Matcher::any(), async |_: PreToolUse, _| {
                Ok(HookOutput::deny("the neighbours sleep"))
            });
        let mut client = world.connect(now).await;

        assert_eq!(result_without_prompt(&mut client).await, "It stays silent.");
        assert_eq!(rung.load(Ordering::SeqCst), 0);
        let read = world.model.conversation()[1].tool_results();
        assert!(read[0].text.contains("the neighbours sleep"), "{read:?}");
    })
    .await;
}

/// The CLI makes only the last of two deferred calls, and removes the other one from the conversation (2.1.325).
#[tokio::test]
async fn first_of_two_parallel_deferred_calls_is_forgotten() {
    world::pinned(async |world| {
        let rung = Arc::new(AtomicUsize::new(0));
        let calls = Turn::new()
            .tool_use_with_id("toolu_1", "mcp__bell__ring", json!({}))
            .tool_use_with_id("toolu_2", "mcp__bell__ring", json!({}));
        world.model.turn(calls).turn("It rang.");
        let later = with_counting_tool(world, &rung)
            .hook(Matcher::any(), async |_: PreToolUse, _| {
                Ok(HookOutput::defer())
            });
        let messages = world.read_query(query("Ring twice.").options(later)).await;
        let result = result_of(&messages);
        let deferred = result.deferred_tool_use.as_ref().unwrap();
        assert_eq!(deferred.id, "toolu_2");

        let now = with_counting_tool(world, &rung)
            .resume(&result.session_id)
            .hook(Matcher::any(), async |call: PreToolUse, _| {
                assert_eq!(call.tool_use_id, "toolu_2");
                Ok(HookOutput::allow())
            });
        let mut client = world.connect(now).await;
        assert_eq!(result_without_prompt(&mut client).await, "It rang.");
        assert_eq!(rung.load(Ordering::SeqCst), 1);
        let request = &world.model.conversation()[1];
        assert!(!request.body()["messages"].to_string().contains("toolu_1"));
    })
    .await;
}

/// Without a store, the CLI does not know that the call had begun.
#[tokio::test]
async fn deferred_call_that_was_cut_off_is_made_again_without_a_store() {
    world::pinned(async |world| {
        let rung = Arc::new(AtomicUsize::new(0));
        let call = Turn::new().tool_use_with_id("toolu_1", "mcp__bell__ring", json!({}));
        world.model.turn(call).turn("It rang.");
        let later = with_counting_tool(world, &rung)
            .hook(Matcher::any(), async |_: PreToolUse, _| {
                Ok(HookOutput::defer())
            });
        let messages = world.read_query(query("Ring.").options(later)).await;
        let session = &result_of(&messages).session_id;

        let (running, mut is_running) = tokio::sync::mpsc::unbounded_channel();
        let hanging = Tool::new("ring", "Rings the bell", async move || {
            running.send(()).unwrap();
            std::future::pending::<&str>().await
        });
        let bell = ToolServer::new("bell").tool(hanging);
        let now = world.options().tool_server(bell).resume(session);
        let allow = async |_: PreToolUse, _| Ok(HookOutput::allow());
        let client = world.connect(now.hook(Matcher::any(), allow)).await;
        is_running.recv().await.unwrap();
        client.control().kill().await;

        let now = with_counting_tool(world, &rung).resume(session);
        let mut client = world.connect(now.hook(Matcher::any(), allow)).await;
        assert_eq!(result_without_prompt(&mut client).await, "It rang.");
        assert_eq!(rung.load(Ordering::SeqCst), 1);
    })
    .await;
}
