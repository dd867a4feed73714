//! Hooks called by the real CLI: their input and the effect of their output.

mod answers;
mod background;
mod calls;
mod deferred;
mod events;
mod failures;
mod oldest;
mod other_events;
mod probe;

use inhouse_testkit::Turn;
use serde_json::json;

use crate::world::World;

/// Scripts a model that runs one command.
fn running(world: &World, command: &str) {
    let call = json!({"command": command});
    world
        .model
        .turn(Turn::new().tool_use_with_id("toolu_1", "Bash", call))
        .turn("Done.");
}

/// Returns the tool results in the last request of the model.
fn read_by_model(world: &World) -> String {
    let requests = world.model.conversation();
    let last = requests.last().expect("the model received a request");
    last.body()["messages"].to_string()
}
