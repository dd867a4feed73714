//! Subagents and background tasks.

use inhouse::message::Message;
use inhouse::options::AgentDefinition;
use inhouse_testkit::Turn;
use serde_json::json;

use super::Played;
use crate::setup::RecordingSetup;

pub(super) async fn subagent(setup: &RecordingSetup) -> Played {
    let ask = json!({
        "description": "Ask the mathematician",
        "prompt": "What is 15 + 27?",
        "subagent_type": "mathematician",
        "run_in_background": false,
    });
    let compute = json!({ "command": "echo $((15 + 27))" });
    setup
        .model
        .once(
            |request| request.agent_id().is_some(),
            Turn::new()
                .text("Let me compute.")
                .tool_use_with_id("toolu_2", "Bash", compute),
        )
        .once(|request| request.agent_id().is_some(), "It is 42.")
        .turn(Turn::new().tool_use_with_id("toolu_1", "Agent", ask))
        .turn("The mathematician says 42.");
    let mathematician = AgentDefinition::new("Computes", "You compute.").tools(["Bash"]);
    let options = setup
        .options()
        .agents([("mathematician", mathematician)])
        .forward_subagent_text(true)
        .allow_tools(["Agent", "Task", "Bash"]);
    let mut client = setup.connect(options).await?;
    client.send("Ask somebody.").await?.finish().await?;
    client.close().await?;
    Ok(())
}

/// A background command, whose end starts a turn.
pub(super) async fn background_command(setup: &RecordingSetup) -> Played {
    let command = json!({
        "command": "sleep 1; echo 42",
        "description": "Compute slowly",
        "run_in_background": true,
    });
    setup
        .model
        .turn(Turn::new().tool_use_with_id("toolu_1", "Bash", command))
        .turn("It runs.")
        .turn("It is done.");
    let options = setup.options().allow_tools(["Bash"]);
    let mut client = setup.connect(options).await?;
    client
        .send("Compute in the background.")
        .await?
        .finish()
        .await?;
    while let Some(message) = client.messages().next().await {
        if let Message::Result(_) = message? {
            break;
        }
    }
    client.close().await?;
    Ok(())
}
