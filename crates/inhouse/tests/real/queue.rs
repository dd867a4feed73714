//! Prompts sent during a turn.

use inhouse::message::Message;
use inhouse_testkit::Turn;

use crate::world::{self, assistant_texts, result_of};

fn is_result(message: &Message) -> bool {
    matches!(message, Message::Result(_))
}

#[tokio::test]
async fn prompt_sent_during_a_turn_is_answered_after_it() {
    world::pinned(async |world| {
        world
            .model
            .turn(Turn::new().text("One.").stall())
            .turn("Two.");
        let mut client = world.connect(world.options()).await;
        let control = client.control().clone();

        let turn = client.send("First?").await.unwrap();
        let first = turn.prompt_id().to_owned();
        let queueing = async {
            world.next_request().await;
            let id = control.send("Second?").await.unwrap();
            // The response proves that the CLI has read the earlier prompt.
            control.models().await.unwrap();
            world.model.release();
            id
        };
        let (second, messages) = tokio::join!(queueing, world.read(turn));

        assert_eq!(assistant_texts(&messages), ["One."]);
        let result = result_of(&messages);
        assert_eq!(result.user_message_uuid, Some(first));
        let messages = world.read_until(client.messages(), is_result).await;
        assert_eq!(assistant_texts(&messages), ["Two."]);
        let result = result_of(&messages);
        assert_eq!(result.user_message_uuid, Some(second));
        let request = world.next_request().await;
        assert_eq!(request.last_user_text().as_deref(), Some("Second?"));
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn queued_prompt_can_be_cancelled() {
    world::pinned(async |world| {
        world
            .model
            .turn(Turn::new().text("One.").stall())
            .turn("Three.");
        let mut client = world.connect(world.options()).await;
        let control = client.control().clone();

        let turn = client.send("First?").await.unwrap();
        let cancelling = async {
            world.next_request().await;
            let id = control.send("Second?").await.unwrap();
            let cancelled = control.cancel_prompt(&id).await.unwrap();
            let again = control.cancel_prompt(&id).await.unwrap();
            world.model.release();
            (cancelled, again)
        };
        let (cancelled, messages) = tokio::join!(cancelling, world.read(turn));

        assert_eq!(cancelled, (true, false));
        assert_eq!(assistant_texts(&messages), ["One."]);
        assert_eq!(world.ask(&mut client, "Third?").await, "Three.");
        let request = world.next_request().await;
        assert_eq!(request.last_user_text().as_deref(), Some("Third?"));
        let history = request.body()["messages"].to_string();
        assert!(!history.contains("Second?"), "{history}");
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn interrupt_returns_the_queued_prompts() {
    world::pinned(async |world| {
        world
            .model
            .turn(Turn::new().text("One.").stall())
            .turn("Two.");
        let mut client = world.connect(world.options()).await;
        let control = client.control().clone();

        let turn = client.send("First?").await.unwrap();
        let interrupting = async {
            world.next_request().await;
            let id = control.send("Second?").await.unwrap();
            (id, control.interrupt().await.unwrap())
        };
        let ((second, receipt), messages) = tokio::join!(interrupting, world.read(turn));

        assert!(result_of(&messages).is_error);
        assert_eq!(receipt.still_queued, Some(vec![second.clone()]));
        let messages = world.read_until(client.messages(), is_result).await;
        let result = result_of(&messages);
        assert_eq!(result.user_message_uuid, Some(second));
        assert_eq!(assistant_texts(&messages), ["Two."]);
        world.model.assert_done();
    })
    .await;
}
