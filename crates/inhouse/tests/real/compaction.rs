//! Compaction of conversations.

use inhouse::message::{CompactTrigger, Message, SystemMessage};
use inhouse_testkit::Turn;
use inhouse_testkit::model::Usage;

use crate::world::{self, result_of, tags};

fn boundaries(messages: &[Message]) -> Vec<Option<CompactTrigger>> {
    messages
        .iter()
        .filter_map(|message| match message {
            Message::System(SystemMessage::CompactBoundary(boundary)) => {
                Some(boundary.compact_metadata.trigger.clone())
            }
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn conversation_is_compacted_on_demand() {
    world::pinned(async |world| {
        world
            .model
            .turn("The password is swordfish.")
            .turn("<summary>They spoke of fish.</summary>")
            .turn("Fish.");
        let mut client = world.connect(world.options()).await;
        world.ask(&mut client, "What is the password?").await;

        let turn = client.send("/compact").await.unwrap();
        let messages = world.read(turn).await;

        assert!(result_of(&messages).is_success());
        let boundaries = boundaries(&messages);
        assert_eq!(
            boundaries,
            [Some(CompactTrigger::Manual)],
            "{:?}",
            tags(&messages)
        );
        assert_eq!(world.ask(&mut client, "What was it?").await, "Fish.");
        let history = world.model.conversation()[2].body()["messages"].to_string();
        assert!(history.contains("They spoke of fish."), "{history}");
        assert!(!history.contains("swordfish"), "{history}");
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn full_conversation_is_compacted_automatically() {
    world::pinned(async |world| {
        let full = |text| Turn::new().text(text).usage(Usage::new(190_000, 5));
        world
            .model
            .turn(full("The password is swordfish."))
            .turn(full("Yes."))
            .turn("<summary>They spoke of fish.</summary>")
            .turn("Fish.");
        let options = world
            .options()
            .env("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "200000");
        let mut client = world.connect(options).await;
        world.ask(&mut client, "What is the password?").await;
        world.ask(&mut client, "Really?").await;

        let turn = client.send("What was it?").await.unwrap();
        let messages = world.read(turn).await;

        let boundaries = boundaries(&messages);
        assert_eq!(
            boundaries,
            [Some(CompactTrigger::Auto)],
            "{:?}",
            tags(&messages)
        );
        assert_eq!(result_of(&messages).result.as_deref(), Some("Fish."));
        let last = world.model.conversation().pop().unwrap();
        let history = last.body()["messages"].to_string();
        assert!(history.contains("They spoke of fish."), "{history}");
        world.model.assert_done();
    })
    .await;
}
