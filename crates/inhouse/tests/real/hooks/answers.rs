//! Outputs of prompt, stop, display and compaction hooks.

use inhouse::hook::*;
use inhouse::message::{Message, SystemMessage};

use super::read_by_model;
use crate::world::{self, assistant_texts, result_of};

#[tokio::test]
async fn blocked_prompt_does_not_reach_the_model() {
    world::pinned(async |world| {
        world.model.turn("One.");
        let options = world
            .options()
            .hook(Matcher::any(), async |event: UserPromptSubmit, _| {
                Ok(match event.prompt.contains("swordfish") {
                    true => HookOutput::block("no passwords").suppress_original_prompt(),
                    false => HookOutput::pass(),
                })
            });
        let mut client = world.connect(options).await;

        let turn = client.send("It is swordfish.").await.unwrap();
        let messages = world.read(turn).await;
        let result = result_of(&messages);
        assert!(!result.is_error);
        let text = result.result.as_deref().unwrap();
        assert!(text.contains("no passwords"), "{text}");
        assert!(!text.contains("swordfish"), "{text}");

        assert_eq!(world.ask(&mut client, "Begin.").await, "One.");
        let read = read_by_model(world);
        assert!(!read.contains("swordfish"), "{read}");
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn prompt_gets_context_and_the_session_a_title() {
    world::pinned(async |world| {
        world.model.turn("One.");
        let options = world
            .options()
            .hook(Matcher::any(), async |_: UserPromptSubmit, _| {
                let output = HookOutput::pass().context("It is Monday.");
                Ok(output
                    .session_title("Mondays")
                    .system_message("a hook was here"))
            });
        let mut client = world.connect(options).await;

        let turn = client.send("Which day is it?").await.unwrap();
        let messages = world.read(turn).await;

        let read = read_by_model(world);
        assert!(read.contains("It is Monday."), "{read}");
        let reported = messages.iter().any(|message| {
            matches!(message, Message::System(SystemMessage::Informational(note))
                if note.content.contains("a hook was here"))
        });
        assert!(reported, "{messages:?}");
        let titled = messages.iter().any(|message| {
            let message = serde_json::to_value(message).unwrap();
            message["subtype"] == "session_title_changed" && message["title"] == "Mondays"
        });
        assert!(titled, "{messages:?}");
    })
    .await;
}

#[tokio::test]
async fn blocked_stop_continues_with_the_reason() {
    world::pinned(async |world| {
        world.model.turn("Finished.").turn("Now tested.");
        let options = world
            .options()
            .hook(Matcher::any(), async |event: Stop, _| {
                Ok(match event.stop_hook_active {
                    false => HookOutput::block("Run the tests first."),
                    true => HookOutput::pass(),
                })
            });
        let mut client = world.connect(options).await;

        let turn = client.send("Go.").await.unwrap();
        let messages = world.read(turn).await;

        assert_eq!(assistant_texts(&messages), ["Finished.", "Now tested."]);
        let read = read_by_model(world);
        assert!(read.contains("Run the tests first."), "{read}");
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn stop_with_context_continues() {
    world::pinned(async |world| {
        world.model.turn("Finished.").turn("Now tested.");
        let options = world
            .options()
            .hook(Matcher::any(), async |event: Stop, _| {
                Ok(match event.last_assistant_message.as_deref() {
                    Some("Finished.") => HookOutput::pass().context("The tests are red."),
                    _ => HookOutput::pass(),
                })
            });
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Go.").await, "Now tested.");

        let read = read_by_model(world);
        assert!(read.contains("The tests are red."), "{read}");
    })
    .await;
}

#[tokio::test]
async fn displayed_text_can_be_changed() {
    world::pinned(async |world| {
        world.model.turn("The code is 1234.").turn("Two.");
        let options = world
            .options()
            .hook(Matcher::any(), async |event: MessageDisplay, _| {
                Ok(HookOutput::pass().display(event.delta.replace("1234", "****")))
            });
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Go.").await, "The code is ****.");
        world.ask(&mut client, "Go on.").await;

        let read = read_by_model(world);
        assert!(read.contains("1234"), "the model gets its own text: {read}");
    })
    .await;
}

#[tokio::test]
async fn blocked_compaction_leaves_the_conversation_unchanged() {
    world::pinned(async |world| {
        world.model.turn("One.").turn("Two.");
        let options = world.options().hook(
            Matcher::only(CompactTrigger::Manual),
            async |_: PreCompact, _| Ok(HookOutput::block("not yet")),
        );
        let mut client = world.connect(options).await;

        world.ask(&mut client, "Begin.").await;
        world.ask(&mut client, "/compact").await;
        assert_eq!(world.ask(&mut client, "Go on.").await, "Two.");

        let read = read_by_model(world);
        assert!(read.contains("Begin."), "{read}");
        world.model.assert_done();
    })
    .await;
}

/// The CLI does not wait for anything that such a hook still does.
#[tokio::test]
async fn detached_output_delays_nothing() {
    world::pinned(async |world| {
        super::running(world, "echo hi");
        let options = world
            .options()
            .hook(Matcher::any(), async |_: PreToolUse, _| {
                Ok(HookOutput::detached())
            })
            .hook(Matcher::any(), async |_: PostToolUse, _| {
                Ok(HookOutput::detached_for(std::time::Duration::from_secs(
                    600,
                )))
            });
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Go.").await, "Done.");

        assert_eq!(world.model.conversation()[1].tool_results()[0].text, "hi");
    })
    .await;
}
