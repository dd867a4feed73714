//! The two sides of a session, and hook callbacks in short.

use std::future::Future;
use std::time::Duration;

use inhouse::{Client, Options};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::HostAnswer;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// A day on the paused clock: it passes as soon as both sides wait for ever.
const DEADLINE: Duration = Duration::from_secs(24 * 60 * 60);

/// Plays a session in which only the CLI acts. It gets what the host has said of itself.
pub(crate) async fn play(options: Options, cli: impl AsyncFnOnce(&mut FakeCli, Value)) {
    let (transport, mut fake) = FakeCli::new();
    let (through, until_through) = oneshot::channel::<()>();
    let host = async {
        let client = Client::connect_with(options, transport).await;
        let client = client.expect("the fake accepts the session");
        until_through.await.expect_err("it is only dropped");
        client.close().await.expect("the fake ends well");
    };
    let cli = async move {
        let initialize = fake.accept().await;
        cli(&mut fake, initialize).await;
        drop(through);
        fake.expect_end_of_input().await;
    };
    together(host, cli).await;
}

/// Plays both sides of a conversation.
pub(crate) async fn together<H: Future, C: Future>(host: H, cli: C) -> (H::Output, C::Output) {
    timeout(DEADLINE, async { tokio::join!(host, cli) })
        .await
        .expect("one side waits for something that never comes")
}

/// The input of an event with these members of its own.
pub(crate) fn input(event: &str, own: Value) -> Value {
    let mut input = json!({
        "session_id": "s", "transcript_path": "/home/me/t.jsonl", "cwd": "/home/me/project",
        "hook_event_name": event,
    });
    let own = own.as_object().expect("members").clone();
    input.as_object_mut().expect("an object").extend(own);
    input
}

/// A call of `Bash` that is about to run.
pub(crate) fn bash(command: &str) -> Value {
    let own = json!({
        "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "toolu_1",
    });
    input("PreToolUse", own)
}

/// Calls a hook; returns the id of the request.
pub(crate) async fn call(cli: &mut FakeCli, hook: &str, input: Value) -> String {
    cli.ask(json!({
        "subtype": "hook_callback", "callback_id": hook, "input": input, "tool_use_id": "toolu_1",
    }))
    .await
}

/// What a hook has to say.
pub(crate) async fn output(cli: &mut FakeCli, hook: &str, input: Value) -> Value {
    let id = call(cli, hook, input).await;
    cli.expect_answer(&id).await.payload()
}

/// How a hook fails.
pub(crate) async fn failure(cli: &mut FakeCli, hook: &str, input: Value) -> String {
    let id = call(cli, hook, input).await;
    match cli.expect_answer(&id).await {
        HostAnswer::Error { error, .. } => error,
        HostAnswer::Success(output) => panic!("this must fail, and not give {output}"),
    }
}
