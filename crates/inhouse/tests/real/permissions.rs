//! Permissions, questions, plans and elicitations.

mod elicitation;
mod failures;
mod handler;
mod plans;
mod policy;
mod questions;
mod races;
mod remembered;

use inhouse_testkit::Turn;
use inhouse_testkit::model::ToolResult;
use serde_json::json;

use crate::world::World;

/// Scripts a model that runs a command.
pub(crate) fn run(world: &World, command: &str) {
    let call = json!({"command": command});
    world
        .model
        .turn(Turn::new().tool_use_with_id("toolu_1", "Bash", call))
        .turn("Done.");
}

/// Returns the last tool result that the model received.
pub(crate) fn seen(world: &World) -> Vec<ToolResult> {
    let requests = world.model.conversation();
    requests
        .last()
        .expect("the model received a request")
        .tool_results()
}
