//! Interrupted turns.

use inhouse::ErrorKind;
use inhouse::message::{ResultSubtype, TerminalReason};
use inhouse_testkit::Turn;
use serde_json::json;

use crate::world::{self, assistant_texts, result_of};

#[tokio::test]
async fn promise_20_interrupted_turn_ends_and_the_next_one_is_clean() {
    world::pinned(async |world| {
        world
            .model
            .turn(Turn::new().text("Once upon a").stall())
            .turn("Fresh.");
        let mut client = world.connect(world.options()).await;
        let control = client.control().clone();

        let turn = client.send("Tell.").await.unwrap();
        let interrupting = async {
            world.next_request().await;
            control.interrupt().await.unwrap()
        };
        let (receipt, messages) = tokio::join!(interrupting, world.read(turn));

        assert_eq!(receipt.still_queued, Some(Vec::new()));
        let result = result_of(&messages);
        assert!(result.is_error);
        assert_eq!(result.subtype, ResultSubtype::ErrorDuringExecution);
        assert_eq!(
            result.terminal_reason,
            Some(TerminalReason::AbortedStreaming)
        );
        world.disconnected().await;

        let turn = client.send("Again.").await.unwrap();
        let messages = world.read(turn).await;
        assert_eq!(assistant_texts(&messages), ["Fresh."]);
        assert!(result_of(&messages).is_success());
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn promise_20_dropped_and_interrupted_turn_does_not_leak() {
    world::pinned(async |world| {
        world
            .model
            .turn(Turn::new().text("Once upon a").stall())
            .turn("Fresh.");
        let mut client = world.connect(world.options()).await;

        drop(client.send("Tell.").await.unwrap());
        world.next_request().await;
        client.control().interrupt().await.unwrap();
        let turn = client.send("Again.").await.unwrap();
        let messages = world.read(turn).await;

        assert_eq!(assistant_texts(&messages), ["Fresh."]);
        assert!(result_of(&messages).is_success());
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn interrupt_stops_a_tool_and_its_process() {
    world::pinned(async |world| {
        let call = json!({"command": "echo $$ > pid; exec tail -f /dev/null"});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "Bash", call))
            .turn("Fresh.");
        let options = world.options().allow_tools(["Bash"]);
        let mut client = world.connect(options).await;
        let control = client.control().clone();

        let pipe = world.pipe("pid").await;
        let turn = client.send("Wait.").await.unwrap();
        let interrupting = async {
            let pid = pipe.read().await;
            control.interrupt().await.unwrap();
            pid.trim().parse().unwrap()
        };
        let (pid, messages) = tokio::join!(interrupting, world.read(turn));

        assert!(result_of(&messages).is_error);
        world::gone(pid).await;
        assert_eq!(world.ask(&mut client, "Again.").await, "Fresh.");
    })
    .await;
}

#[tokio::test]
async fn interrupt_when_idle_is_a_no_op() {
    world::pinned(async |world| {
        world.model.turn("Fine.");
        let mut client = world.connect(world.options()).await;

        let receipt = client.control().interrupt().await.unwrap();

        assert_eq!(receipt.still_queued, Some(Vec::new()));
        assert_eq!(world.ask(&mut client, "How are you?").await, "Fine.");
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn text_of_an_interrupted_turn_is_an_error() {
    world::pinned(async |world| {
        world.model.turn(Turn::new().text("Once").stall());
        let mut client = world.connect(world.options()).await;
        let control = client.control().clone();

        let turn = client.send("Tell.").await.unwrap();
        let interrupting = async {
            world.next_request().await;
            control.interrupt().await.unwrap();
        };
        let ((), text) = tokio::join!(interrupting, turn.text());

        let error = text.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Failed);
        assert_eq!(
            error.result().unwrap().subtype,
            ResultSubtype::ErrorDuringExecution
        );
        // The CLI exits with code 1 after such a turn, which is not an error of `close`.
        let exit = client.close().await.unwrap().unwrap();
        assert_eq!(exit.code(), Some(1));
    })
    .await;
}
