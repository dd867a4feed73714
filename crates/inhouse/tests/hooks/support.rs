//! Hook callbacks in short form.

use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::HostAnswer;
use serde_json::{Value, json};

/// Returns the input of an event with these members added.
pub(crate) fn input(event: &str, members: Value) -> Value {
    let mut input = json!({
        "session_id": "s", "transcript_path": "/home/me/t.jsonl", "cwd": "/home/me/project",
        "hook_event_name": event,
    });
    let members = members.as_object().expect("an object").clone();
    input.as_object_mut().expect("an object").extend(members);
    input
}

/// Returns the input of `PreToolUse` for a `Bash` command.
pub(crate) fn bash(command: &str) -> Value {
    let members = json!({
        "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "toolu_1",
    });
    input("PreToolUse", members)
}

/// Calls a hook; returns the id of the request.
pub(crate) async fn call(cli: &mut FakeCli, hook: &str, input: Value) -> String {
    cli.ask(json!({
        "subtype": "hook_callback", "callback_id": hook, "input": input, "tool_use_id": "toolu_1",
    }))
    .await
}

/// Calls a hook that has to succeed; returns its output.
pub(crate) async fn output(cli: &mut FakeCli, hook: &str, input: Value) -> Value {
    let id = call(cli, hook, input).await;
    cli.expect_answer(&id).await.payload()
}

/// Calls a hook that has to fail; returns its error text.
pub(crate) async fn failure(cli: &mut FakeCli, hook: &str, input: Value) -> String {
    let id = call(cli, hook, input).await;
    match cli.expect_answer(&id).await {
        HostAnswer::Error { error, .. } => error,
        HostAnswer::Success(output) => panic!("the hook has to fail but returned {output}"),
    }
}
