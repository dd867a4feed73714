//! Decisions of a permission handler.

use inhouse::Asked;
use inhouse::message::TerminalReason;
use inhouse::options::PermissionMode;
use inhouse::permission::{CanUseTool, Decision};
use serde_json::json;
use tokio::sync::mpsc;

use super::{run, seen};
use crate::world::{self, World, result_of};

async fn the_tool_gets_the_input_that_was_allowed(world: &World) {
    run(world, "touch asked");
    let (sender, mut events) = mpsc::unbounded_channel();
    let options = world
        .options()
        .permissions(async move |asked: Asked<CanUseTool>| {
            sender.send(asked).expect("the test holds the receiver");
            Ok(Decision::allow().input(json!({"command": "touch answered && echo changed"})))
        });
    let mut client = world.connect(options).await;

    assert_eq!(world.ask(&mut client, "Make it.").await, "Done.");

    let asked = events.recv().await.unwrap();
    assert_eq!(asked.request.tool_name, "Bash");
    assert_eq!(asked.request.tool_use_id, "toolu_1");
    assert_eq!(asked.request.input["command"], "touch asked");
    assert!(asked.request.permission_suggestions.is_some());
    assert!(asked.session().id().is_some());
    assert!(events.try_recv().is_err(), "one request per call");
    assert!(world.cwd().join("answered").exists());
    assert!(!world.cwd().join("asked").exists());
    let seen = seen(world);
    assert_eq!(
        (seen[0].text.as_str(), seen[0].is_error),
        ("changed", false)
    );
    world.model.assert_done();
}

async fn the_model_reads_why_a_call_was_denied(world: &World) {
    run(world, "touch asked");
    let options = world.options().permissions(async |_: Asked<CanUseTool>| {
        Ok(Decision::deny("Nothing is made here. Use echo."))
    });
    let mut client = world.connect(options).await;

    let turn = client.send("Make it.").await.unwrap();
    let messages = world.read(turn).await;

    assert!(!world.cwd().join("asked").exists());
    let seen = seen(world);
    assert_eq!(seen[0].text, "Nothing is made here. Use echo.");
    assert!(seen[0].is_error);
    let result = result_of(&messages);
    assert_eq!(result.result.as_deref(), Some("Done."));
    let denied = result.permission_denials.as_ref().unwrap();
    assert_eq!(
        (denied.len(), denied[0].tool_use_id.as_str()),
        (1, "toolu_1")
    );
}

#[tokio::test]
async fn tool_gets_the_changed_input() {
    world::pinned(the_tool_gets_the_input_that_was_allowed).await;
}

#[tokio::test]
async fn tool_gets_the_changed_input_with_the_oldest_cli() {
    world::oldest(the_tool_gets_the_input_that_was_allowed).await;
}

#[tokio::test]
async fn allowed_call_runs_with_the_original_input() {
    let scenario = async |world: &World| {
        run(world, "touch asked && echo made");
        let options = world
            .options()
            .permissions(async |_: Asked<CanUseTool>| Ok(Decision::allow()));
        let mut client = world.connect(options).await;
        assert_eq!(world.ask(&mut client, "Make it.").await, "Done.");
        assert!(world.cwd().join("asked").exists());
        assert_eq!(seen(world)[0].text, "made");
    };
    world::pinned(scenario).await;
    world::oldest(scenario).await;
}

#[tokio::test]
async fn model_gets_the_denial_message() {
    world::pinned(the_model_reads_why_a_call_was_denied).await;
}

#[tokio::test]
async fn model_gets_the_denial_message_with_the_oldest_cli() {
    world::oldest(the_model_reads_why_a_call_was_denied).await;
}

#[tokio::test]
async fn deny_can_interrupt_the_turn() {
    world::pinned(async |world| {
        run(world, "touch asked");
        let options = world
            .options()
            .permissions(async |_: Asked<CanUseTool>| Ok(Decision::deny("Enough.").interrupt()));
        let mut client = world.connect(options).await;

        let turn = client.send("Make it.").await.unwrap();
        let messages = world.read(turn).await;

        assert!(!world.cwd().join("asked").exists());
        let result = result_of(&messages);
        assert!(result.is_error);
        let reason = TerminalReason::AbortedTools;
        assert_eq!(result.terminal_reason, Some(reason));
        assert_eq!(
            world.model.conversation().len(),
            1,
            "the model gets no further request"
        );
        // The session is alive: the remaining turn answers the next prompt.
        assert_eq!(world.ask(&mut client, "Well?").await, "Done.");
    })
    .await;
}

#[tokio::test]
async fn mode_set_in_the_handler_applies() {
    world::pinned(async |world| {
        run(world, "touch asked");
        world
            .model
            .turn(inhouse_testkit::Turn::new().tool_use_with_id(
                "toolu_2",
                "Bash",
                json!({"command": "touch again"}),
            ))
            .turn("Stopped.");
        let (sender, mut events) = mpsc::unbounded_channel();
        let options = world
            .options()
            .permissions(async move |asked: Asked<CanUseTool>| {
                sender.send(()).expect("the test holds the receiver");
                let control = asked.session().control().expect("the session is alive");
                control.set_permission_mode(PermissionMode::DontAsk).await?;
                Ok(Decision::allow())
            });
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Make it.").await, "Done.");
        assert_eq!(world.ask(&mut client, "Again.").await, "Stopped.");

        events.recv().await.unwrap();
        assert!(
            events.try_recv().is_err(),
            "no permission is requested for the second call"
        );
        assert!(world.cwd().join("asked").exists());
        assert!(!world.cwd().join("again").exists());
    })
    .await;
}
