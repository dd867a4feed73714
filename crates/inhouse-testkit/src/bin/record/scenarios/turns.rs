//! Prompts and answers.

use inhouse::options::Thinking;
use inhouse_testkit::Turn;
use serde_json::json;

use super::Played;
use crate::setup::RecordingSetup;

pub(super) async fn text(setup: &RecordingSetup) -> Played {
    setup.model.turn("15 + 27 is 42, naïve as it looks.");
    let mut client = setup.connect(setup.options()).await?;
    client.send("What is 15 + 27?").await?.finish().await?;
    client.close().await?;
    Ok(())
}

pub(super) async fn two_turns(setup: &RecordingSetup) -> Played {
    setup.model.turn("It is 42.").turn("It is 84.");
    let mut client = setup.connect(setup.options()).await?;
    client.send("What is 15 + 27?").await?.finish().await?;
    client.send("And doubled?").await?.finish().await?;
    client.close().await?;
    Ok(())
}

pub(super) async fn partial_messages(setup: &RecordingSetup) -> Played {
    let look = Turn::new()
        .thinking("Better look first.")
        .text("Let me look.")
        .tool_use_with_id("toolu_1", "Bash", json!({ "command": "echo 42" }));
    setup.model.turn(look).turn("It is 42.");
    let options = setup
        .options()
        .include_partial_messages(true)
        .thinking(Thinking::budget(1024))
        .allow_tools(["Bash"]);
    let mut client = setup.connect(options).await?;
    client.send("What is the answer?").await?.finish().await?;
    client.close().await?;
    Ok(())
}

pub(super) async fn replayed_prompts(setup: &RecordingSetup) -> Played {
    setup.model.turn("Hello to you.");
    let options = setup.options().replay_user_messages(true);
    let mut client = setup.connect(options).await?;
    client.send("Hello").await?.finish().await?;
    client.close().await?;
    Ok(())
}

/// Slash commands that the CLI answers without the model.
pub(super) async fn local_commands(setup: &RecordingSetup) -> Played {
    let mut client = setup.connect(setup.options()).await?;
    client.send("/context").await?.finish().await?;
    client.send("/cost").await?.finish().await?;
    client.send("/clear").await?.finish().await?;
    client.close().await?;
    Ok(())
}

pub(super) async fn structured_output(setup: &RecordingSetup) -> Played {
    let output = json!({ "answer": 42 });
    setup
        .model
        .turn(Turn::new().tool_use_with_id("toolu_1", "StructuredOutput", output))
        .otherwise(|_| "That is the answer.");
    let options = setup.options().json_schema(json!({
        "type": "object",
        "properties": { "answer": { "type": "integer" } },
        "required": ["answer"],
    }));
    let mut client = setup.connect(options).await?;
    client.send("What is 15 + 27?").await?.finish().await?;
    client.close().await?;
    Ok(())
}
