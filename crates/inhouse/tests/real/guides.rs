//! Claims of the guide about the CLI that no other test checks.

mod plugins;
mod skills;
mod steering;

use inhouse::control::outgoing::RewindFiles;
use inhouse::message::{InitMessage, Message, SystemMessage};
use inhouse::options::{AgentDefinition, PermissionMode};
use inhouse::tool::{Tool, ToolServer};
use inhouse::{Client, Options};
use inhouse_testkit::model::Usage;
use inhouse_testkit::{ModelRequest, Turn};
use serde_json::json;

use crate::structured::{OUTPUT_TOOL, Sum};
use crate::world::{self, World};

/// Sends a prompt and returns the message that describes the session.
async fn init_of(world: &World, client: &mut Client) -> InitMessage {
    let turn = client.send("Begin.").await.unwrap();
    let messages = world.read(turn).await;
    let init = messages.iter().find_map(|message| match message {
        Message::System(SystemMessage::Init(init)) => Some(InitMessage::clone(init)),
        _ => None,
    });
    init.expect("a session begins with its description")
}

/// Returns everything that the model has read in its last request.
fn last_request(world: &World) -> String {
    let requests = world.model.conversation();
    let request = requests.last().expect("the model received a request");
    request.body().to_string()
}

#[tokio::test]
async fn tool_search_finds_a_tool_by_its_hint() {
    world::pinned(async |world| {
        let search = json!({"query": "barometer"});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "ToolSearch", search))
            .turn(Turn::new().tool_use_with_id("toolu_2", "mcp__s__weather", json!({})))
            .turn("Done.");
        let weather = Tool::new("weather", "The weather", async || "sunny");
        let server = ToolServer::new("s").tool(weather.search_hint("barometer reading"));
        let options = world.options().tool_server(server).allow_tools(["mcp__s"]);
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Weather?").await, "Done.");

        let requests = world.model.conversation();
        assert!(!requests[0].tools().contains(&"mcp__s__weather"));
        let found = requests[1].body()["messages"].to_string();
        assert!(found.contains("tool_reference"), "{found}");
        assert!(requests[1].tools().contains(&"mcp__s__weather"));
        let results = requests[2].tool_results();
        assert_eq!(results.last().unwrap().text, "sunny");
    })
    .await;
}

#[tokio::test]
async fn tool_search_can_be_switched_off() {
    world::pinned(async |world| {
        world.model.turn("Done.");
        let weather = Tool::new("weather", "The weather", async || "sunny");
        let options = world
            .options()
            .tool_server(ToolServer::new("s").tool(weather))
            .env("ENABLE_TOOL_SEARCH", "false");
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Weather?").await, "Done.");

        let requests = world.model.conversation();
        let tools = requests[0].tools();
        assert!(tools.contains(&"mcp__s__weather"), "{tools:?}");
        assert!(!tools.contains(&"ToolSearch"), "{tools:?}");
    })
    .await;
}

#[tokio::test]
async fn cost_of_a_session_is_a_running_total() {
    world::pinned(async |world| {
        let turn = |text: &str, input| Turn::new().text(text).usage(Usage::new(input, 100));
        world
            .model
            .turn(turn("One.", 1_000))
            .turn(turn("Two.", 2_000));
        let mut client = world.connect(world.options()).await;

        let first = client.send("One?").await.unwrap().finish().await.unwrap();
        let second = client.send("Two?").await.unwrap().finish().await.unwrap();

        let (one, two) = (
            first.total_cost_usd.unwrap(),
            second.total_cost_usd.unwrap(),
        );
        assert!(one > 0.0 && two > one, "{one} {two}");
        let tokens = |result: &inhouse::message::ResultMessage| {
            let of_turn = result.usage.as_ref().unwrap().input_tokens.unwrap();
            let models = result.model_usage.as_ref().unwrap().values();
            let total: u64 = models.clone().map(|usage| usage.input_tokens).sum();
            let cost: f64 = models.map(|usage| usage.cost_usd).sum();
            (of_turn, total, cost)
        };
        assert_eq!((tokens(&first).0, tokens(&first).1), (1_000, 1_000));
        assert_eq!((tokens(&second).0, tokens(&second).1), (2_000, 3_000));
        assert!((tokens(&second).2 - two).abs() < 1e-9);
        let of_second = second.model_usage_since_last_result.as_ref().unwrap();
        let cost: f64 = of_second.values().map(|usage| usage.cost_usd).sum();
        assert!((cost - (two - one)).abs() < 1e-9, "{cost} {one} {two}");
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn cost_of_a_resumed_session_continues() {
    world::pinned(async |world| {
        world.model.turn("One.").turn("Two.");
        let first = inhouse::query("One?").options(world.options());
        let first = first.await.unwrap().finish().await.unwrap();
        let options = world.options().resume(&first.session_id);
        let second = inhouse::query("Two?").options(options);
        let second = second.await.unwrap().finish().await.unwrap();

        let (one, two) = (
            first.total_cost_usd.unwrap(),
            second.total_cost_usd.unwrap(),
        );
        assert!(one > 0.0 && two > one, "{one} {two}");
    })
    .await;
}

#[tokio::test]
async fn cost_of_a_subagent_is_in_the_total_and_not_in_the_usage_of_the_turn() {
    world::pinned(async |world| {
        let task = json!({
            "description": "Count", "prompt": "Count.", "subagent_type": "shepherd",
            "run_in_background": false,
        });
        let small = Usage::new(1_000, 10);
        world
            .model
            .turn(
                Turn::new()
                    .tool_use_with_id("toolu_1", "Agent", task)
                    .usage(small),
            )
            .once(
                is_from_subagent,
                Turn::new().text("Seven.").usage(Usage::new(50_000, 10)),
            )
            .turn(Turn::new().text("Done.").usage(small));
        let shepherd = AgentDefinition::new("Counts sheep.", "You are a shepherd.");
        let options = world
            .options()
            .agents([("shepherd", shepherd)])
            .allow_tools(["Agent"]);

        let result = inhouse::query("Count.").options(options);
        let result = result.await.unwrap().finish().await.unwrap();

        let models = result.model_usage.as_ref().unwrap();
        let total: u64 = models.values().map(|usage| usage.input_tokens).sum();
        assert_eq!(total, 52_000);
        assert_eq!(result.usage.as_ref().unwrap().input_tokens, Some(2_000));
    })
    .await;
}

#[tokio::test]
async fn rewind_removes_new_files_and_leaves_changes_of_commands() {
    world::pinned(async |world| {
        let written = world.cwd().join("written.txt");
        let command = json!({"command": "echo shell > by_command.txt"});
        world
            .model
            .turn(Turn::new().tool_use_with_id(
                "toolu_1",
                "Write",
                json!({"file_path": written, "content": "New.\n"}),
            ))
            .turn(Turn::new().tool_use_with_id("toolu_2", "Bash", command))
            .turn("Done.");
        let options = world
            .options()
            .file_checkpointing(true)
            .permission_mode(PermissionMode::AcceptEdits)
            .allow_tools(["Bash"]);
        let mut client = world.connect(options).await;
        let turn = client.send("Write both.").await.unwrap();
        let prompt = turn.prompt_id().to_owned();
        assert_eq!(turn.text().await.unwrap(), "Done.");

        let control = client.control();
        let preview = control.request(RewindFiles::new(&prompt).dry_run(true));
        let preview = preview.await.unwrap();
        assert!(written.exists());
        let rewound = control.rewind_files(&prompt).await.unwrap();

        assert!(preview.can_rewind && rewound.can_rewind, "{rewound:?}");
        let path = written.to_str().unwrap().to_owned();
        assert_eq!(preview.files_changed, Some(vec![path]));
        assert!(!written.exists());
        assert!(world.cwd().join("by_command.txt").exists());
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn every_turn_of_a_conversation_has_structured_output() {
    world::pinned(async |world| {
        let sum = |id: &str, total: u32| {
            let output = json!({"total": total, "addends": []});
            Turn::new().tool_use_with_id(id, OUTPUT_TOOL, output)
        };
        world
            .model
            .turn(sum("toolu_1", 42))
            .turn(sum("toolu_2", 84));
        let mut client = world.connect(world.options().output::<Sum>()).await;

        for total in [42, 84] {
            let turn = client.send("And doubled?").await.unwrap();
            let sum: Sum = turn.json().await.unwrap();
            assert_eq!(sum.total, total);
        }
    })
    .await;
}

/// Runs a session in which the model starts a subagent; returns whether the subagent ran.
async fn subagent_runs(world: &World, options: Options) -> bool {
    let task = json!({
        "description": "Count", "prompt": "Count.", "subagent_type": "shepherd",
        "run_in_background": false,
    });
    world
        .model
        .turn(Turn::new().tool_use_with_id("toolu_1", "Agent", task))
        .when(is_from_subagent, Turn::new().text("Seven."))
        .turn("Done.");
    let shepherd = AgentDefinition::new("Counts sheep.", "You are a shepherd.");
    let mut client = world
        .connect(options.agents([("shepherd", shepherd)]))
        .await;
    assert_eq!(world.ask(&mut client, "Count.").await, "Done.");
    let requests = world.model.conversation();
    let results = requests.last().unwrap().tool_results();
    let runs = requests.iter().any(is_from_subagent);
    assert_eq!(runs, !results[0].is_error, "{results:?}");
    runs
}

fn is_from_subagent(request: &ModelRequest) -> bool {
    request.agent_id().is_some()
}

#[tokio::test]
async fn subagent_needs_no_permission() {
    world::pinned(async |world| assert!(subagent_runs(world, world.options()).await)).await;
}

#[tokio::test]
async fn subagent_can_be_denied_by_name() {
    world::pinned(async |world| {
        let options = world.options().disallow_tools(["Agent(shepherd)"]);
        assert!(!subagent_runs(world, options).await);
    })
    .await;
}
