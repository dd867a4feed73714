//! Built-in tools of the CLI, and hooks around their calls.

use std::fs;

use inhouse_testkit::Turn;
use serde_json::{Value, json};

use super::Played;
use crate::setup::RecordingSetup;

pub(super) async fn tools(setup: &RecordingSetup) -> Played {
    let note = setup.isolation.cwd().join("note.txt");
    fs::write(&note, "The answer is 42.\n")?;
    let both = Turn::new()
        .text("Two at once.")
        .tool_use_with_id("toolu_1", "Bash", json!({ "command": "echo 42" }))
        .tool_use_with_id("toolu_2", "Read", json!({ "file_path": note }));
    setup
        .model
        .turn(both)
        .turn(Turn::new().tool_use_with_id(
            "toolu_3",
            "Edit",
            json!({ "file_path": note, "old_string": "42", "new_string": "43" }),
        ))
        .turn("The answer was 42.");
    let options = setup.options().allow_tools(["Bash", "Read", "Edit"]);
    let mut client = setup.connect(options).await?;
    client.send("What is in the note?").await?.finish().await?;
    client.close().await?;
    Ok(())
}

pub(super) async fn failing_tool(setup: &RecordingSetup) -> Played {
    let failing = json!({ "command": "echo oh no >&2; exit 3" });
    setup
        .model
        .turn(Turn::new().tool_use_with_id("toolu_1", "Bash", failing))
        .turn(Turn::new().tool_use_with_id("toolu_2", "NoSuchTool", json!({ "a": 1 })))
        .turn("Neither worked.");
    let options = setup.options().allow_tools(["Bash"]);
    let mut client = setup.connect(options).await?;
    client.send("Try both.").await?.finish().await?;
    client.close().await?;
    Ok(())
}

/// Command hooks in the settings, with hook event messages.
pub(super) async fn hooks(setup: &RecordingSetup) -> Played {
    setup
        .model
        .turn(Turn::new().tool_use_with_id("toolu_1", "Bash", json!({ "command": "echo 42" })))
        .turn("It is 42.");
    let options = setup
        .options()
        .include_hook_events(true)
        .settings(hook_settings())
        .allow_tools(["Bash"]);
    let mut client = setup.connect(options).await?;
    client.send("What is the answer?").await?.finish().await?;
    client.close().await?;
    Ok(())
}

fn hook_settings() -> Value {
    let run = |command: &str| json!([{ "hooks": [{ "type": "command", "command": command }] }]);
    json!({ "hooks": {
        "SessionStart": run("echo the session starts"),
        "UserPromptSubmit": run("echo a prompt"),
        "PreToolUse": run("echo a tool"),
        "PostToolUse": run("echo a hook that fails >&2; exit 1"),
        "Stop": run("echo the end"),
    } })
}
