//! Several prompts in one process.

use inhouse::message::Message;
use inhouse_testkit::Turn;

use crate::world::{self, assistant_texts, tags};

#[tokio::test]
async fn second_turn_remembers_the_first() {
    world::pinned(async |world| {
        world.model.turn("42.").turn("84.");
        let mut client = world.connect(world.options()).await;

        assert_eq!(world.ask(&mut client, "What is 15 + 27?").await, "42.");
        assert_eq!(world.ask(&mut client, "And doubled?").await, "84.");

        let requests = world.model.conversation();
        assert_eq!(
            requests[1].last_user_text().as_deref(),
            Some("And doubled?")
        );
        let history = requests[1].body()["messages"].to_string();
        assert!(history.contains("What is 15 + 27?"), "{history}");
        assert!(history.contains("42."), "{history}");
        world.model.assert_done();
        assert!(client.close().await.unwrap().unwrap().success());
    })
    .await;
}

#[tokio::test]
async fn result_names_the_prompt_that_it_answers() {
    world::pinned(async |world| {
        world.model.turn("One.").turn("Two.");
        let mut client = world.connect(world.options()).await;
        for prompt in ["First?", "Second?"] {
            let turn = client.send(prompt).await.unwrap();
            let id = turn.prompt_id().to_owned();
            let result = turn.finish().await.unwrap();
            assert_eq!(result.user_message_uuid, Some(id));
        }
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn promise_20_abandoned_turn_does_not_leak_into_the_next() {
    world::pinned(async |world| {
        world
            .model
            .turn(Turn::new().text("Stale.").stall())
            .turn("Fresh.");
        let mut client = world.connect(world.options()).await;

        let mut abandoned = client.send("First?").await.unwrap();
        let first = abandoned.next().await.unwrap().unwrap();
        drop(abandoned);
        world.next_request().await;
        world.model.release();
        let turn = client.send("Second?").await.unwrap();
        let messages = world.read(turn).await;

        assert_eq!(
            assistant_texts(&messages),
            ["Fresh."],
            "after {:?}",
            first.tag()
        );
        let results = messages
            .iter()
            .filter(|message| matches!(message, Message::Result(_)));
        assert_eq!(results.count(), 1, "{:?}", tags(&messages));
        assert_eq!(
            world.next_request().await.last_user_text().as_deref(),
            Some("Second?")
        );
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn prompts_are_echoed_on_request() {
    world::pinned(async |world| {
        world.model.turn("Hello!");
        let options = world.options().replay_user_messages(true);
        let mut client = world.connect(options).await;

        let turn = client.send("Hello?").await.unwrap();
        let id = turn.prompt_id().to_owned();
        let messages = world.read(turn).await;

        let echoes: Vec<_> = messages
            .iter()
            .filter_map(|message| match message {
                Message::User(message) if message.is_replay() => Some(message),
                _ => None,
            })
            .collect();
        assert_eq!(echoes.len(), 1, "{:?}", tags(&messages));
        assert_eq!(echoes[0].uuid, Some(id));
        assert_eq!(echoes[0].message.content.text(), "Hello?");
        let request = world.next_request().await;
        assert_eq!(request.last_user_text().as_deref(), Some("Hello?"));
    })
    .await;
}

#[tokio::test]
async fn one_task_reads_while_others_control() {
    world::pinned(async |world| {
        world.model.turn(Turn::new().text("Steady.").stall());
        let client = world.connect(world.options()).await;
        let (control, mut messages) = client.split();

        let controlling = async {
            let id = control.send("Go.").await.unwrap();
            world.next_request().await;
            let models = control.models().await.unwrap();
            world.model.release();
            (id, models.len())
        };
        let is_result = |message: &Message| matches!(message, Message::Result(_));
        let reading = world.read_until(&mut messages, is_result);
        let ((id, models), messages) = tokio::join!(controlling, reading);

        assert!(models > 0);
        assert_eq!(assistant_texts(&messages), ["Steady."]);
        let result = world::result_of(&messages);
        assert_eq!(result.user_message_uuid, Some(id));
    })
    .await;
}
