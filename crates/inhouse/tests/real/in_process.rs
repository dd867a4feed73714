//! In-process tools called by the real CLI, checked in the host and at the model.

mod calls;
mod client;
mod results;
mod servers;
mod sizes;

use inhouse::Client;
use inhouse::tool::ToolServer;
use inhouse_testkit::Turn;
use inhouse_testkit::model::ToolResult;
use serde_json::Value;

use crate::world::World;

/// A session with a server named `s`, all of whose tools may run.
async fn connect<S: Send + Sync + 'static>(world: &World, server: ToolServer<S>) -> Client {
    let options = world.options().tool_server(server).allow_tools(["mcp__s"]);
    world.connect(options).await
}

/// Scripts a model that calls tools of the server `s` in sequence.
fn calling<'a>(world: &World, calls: impl IntoIterator<Item = (&'a str, Value)>) {
    for (tool, input) in calls {
        let id = format!("toolu_{}", world.model.remaining());
        let name = format!("mcp__s__{tool}");
        world
            .model
            .turn(Turn::new().tool_use_with_id(id, name, input));
    }
    world.model.turn("Done.");
}

/// Returns the tool results in the last request of the model.
fn seen(world: &World) -> Vec<ToolResult> {
    let requests = world.model.conversation();
    requests
        .last()
        .expect("the model received a request")
        .tool_results()
}

/// Returns the file that the CLI has saved a result to, as named to the model.
fn saved(text: &str) -> &str {
    let path = text.split_once(" saved to").map(|(_, after)| after);
    let path = path.and_then(|after| after.trim_start_matches(':').split_whitespace().next());
    let path = path.unwrap_or_else(|| panic!("no file in {text}"));
    path.trim_end_matches('.')
}
