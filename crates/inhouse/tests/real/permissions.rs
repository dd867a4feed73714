//! Who decides about tool calls, questions, plans and what MCP servers ask.

mod elicitation;
mod failures;
mod handler;
mod plans;
mod policy;
mod questions;
mod races;
mod remembering;

use inhouse_testkit::Turn;
use inhouse_testkit::model::ToolResult;
use serde_json::json;

use crate::world::World;

/// Has the model run a command and then say that it is done.
pub(crate) fn run(world: &World, command: &str) {
    let call = json!({"command": command});
    world
        .model
        .turn(Turn::new().tool_use("toolu_1", "Bash", call))
        .turn("Done.");
}

/// What the model last read of its calls.
pub(crate) fn seen(world: &World) -> Vec<ToolResult> {
    let asked = world.model.conversation();
    asked.last().expect("the model was asked").tool_results()
}
