//! Turns that fail.

use inhouse::message::Message;
use inhouse_testkit::Turn;
use serde_json::json;

use super::Played;
use crate::setup::RecordingSetup;

pub(super) async fn interrupt(setup: &RecordingSetup) -> Played {
    setup
        .model
        .turn(Turn::new().text("This will take").pieces(1).stall())
        .turn("Back again.");
    let options = setup.options().include_partial_messages(true);
    let mut client = setup.connect(options).await?;
    let control = client.control().clone();
    let mut turn = client.send("Count to a million.").await?;
    // The interrupt comes after the last event before the stall: the starts of the message and of its
    // block, and the only delta.
    let mut events = 0;
    while events < 3 {
        let message = turn.next().await.ok_or("the turn has ended")??;
        events += usize::from(matches!(message, Message::StreamEvent(_)));
    }
    control.interrupt().await?;
    turn.finish().await?;
    client.send("Are you there?").await?.finish().await?;
    client.close().await?;
    Ok(())
}

pub(super) async fn max_turns(setup: &RecordingSetup) -> Played {
    let look = Turn::new().tool_use_with_id("toolu_1", "Bash", json!({ "command": "echo 42" }));
    setup.model.turn(look);
    let options = setup.options().max_turns(1).allow_tools(["Bash"]);
    let mut client = setup.connect(options).await?;
    client.send("Look for the answer.").await?.finish().await?;
    client.close().await?;
    Ok(())
}

pub(super) async fn max_budget(setup: &RecordingSetup) -> Played {
    let look = Turn::new().tool_use_with_id("toolu_1", "Bash", json!({ "command": "echo 42" }));
    setup.model.turn(look).otherwise(|_| "Too dear.");
    let options = setup
        .options()
        .max_budget_usd(0.000_001)
        .allow_tools(["Bash"]);
    let mut client = setup.connect(options).await?;
    client.send("Look for the answer.").await?.finish().await?;
    client.close().await?;
    Ok(())
}

pub(super) async fn api_error(setup: &RecordingSetup) -> Played {
    setup.model.when(|_| true, Turn::error(401).no_retry());
    let options = setup.options().env("CLAUDE_CODE_MAX_RETRIES", "0");
    let mut client = setup.connect(options).await?;
    client.send("Hello").await?.finish().await?;
    client.close().await?;
    Ok(())
}

pub(super) async fn retries(setup: &RecordingSetup) -> Played {
    setup
        .model
        .turn(Turn::error(500))
        .turn(Turn::error(429))
        .turn("At last.");
    let mut client = setup.connect(setup.options()).await?;
    client.send("Hello").await?.finish().await?;
    client.close().await?;
    Ok(())
}

pub(super) async fn refusal(setup: &RecordingSetup) -> Played {
    let refusal = Turn::new().text("I would rather").stop_reason("refusal");
    setup.model.otherwise(move |_| refusal.clone());
    let mut client = setup.connect(setup.options()).await?;
    client.send("Hello").await?.finish().await?;
    client.close().await?;
    Ok(())
}
