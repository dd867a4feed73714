//! Hooks that the real CLI calls: what they see, and what becomes of their answers.

mod answers;
mod background;
mod calls;
mod deferred;
mod events;
mod failures;
mod oldest;
mod probe;
mod surroundings;

use inhouse_testkit::Turn;
use serde_json::json;

use crate::world::World;

/// A model that runs a command and is content then.
fn running(world: &World, command: &str) {
    let call = json!({"command": command});
    world
        .model
        .turn(Turn::new().tool_use("toolu_1", "Bash", call))
        .turn("Done.");
}

/// What the model has read by its last request.
fn read_by_model(world: &World) -> String {
    let asked = world.model.conversation();
    let last = asked.last().expect("the model was asked");
    last.body()["messages"].to_string()
}
