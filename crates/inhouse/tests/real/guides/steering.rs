//! Prompts of another task during a turn, and prompts that start none.

use inhouse::message::{Message, Priority, Prompt, TerminalReason};
use inhouse_testkit::Turn;

use crate::world;

fn is_result(message: &Message) -> bool {
    matches!(message, Message::Result(_))
}

#[tokio::test]
async fn prompt_with_priority_now_aborts_the_answer() {
    world::pinned(async |world| {
        world
            .model
            .turn(Turn::new().text("12 f").stall())
            .turn("12 m.");
        let mut client = world.connect(world.options()).await;
        let control = client.control().clone();

        let turn = client.send("Begin.").await.unwrap();
        let steering = async {
            world.next_request().await;
            let prompt = Prompt::from("In metres.").priority(Priority::Now);
            control.send(prompt).await.unwrap()
        };
        let (id, messages) = tokio::join!(steering, world.read(turn));

        let aborted = world::result_of(&messages).terminal_reason.clone();
        assert_eq!(aborted, Some(TerminalReason::AbortedStreaming));
        let messages = world.read_until(client.messages(), is_result).await;
        let result = world::result_of(&messages);
        assert_eq!(result.user_message_uuid, Some(id));
        world.disconnected().await;
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn prompt_that_starts_no_turn_is_read_with_the_next_one() {
    world::pinned(async |world| {
        world.model.turn("Yes.");
        let mut client = world.connect(world.options()).await;

        let news = Prompt::from("It rains.").should_query(false);
        let mut turn = client.send(news).await.unwrap();
        assert!(turn.next().await.is_none(), "it has no messages");
        let answer = world.ask(&mut client, "An umbrella?").await;

        assert_eq!(answer, "Yes.");
        let requests = world.model.conversation();
        assert_eq!(requests.len(), 1);
        let read = requests[0].body()["messages"].to_string();
        assert!(read.contains("It rains."), "{read}");
        world.model.assert_done();
    })
    .await;
}
