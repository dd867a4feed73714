//! Tools in the host's process.

use inhouse::Options;
use inhouse::tool::{Content, Json, Tool, ToolServer};
use inhouse_testkit::{Turn, text};
use serde_json::json;

use super::{Cli, Outcome, add, adding, allowed, call};

/// Runs a model that calls one tool of the server `s`.
async fn calling(cli: Cli, tool: Tool<()>) -> Outcome {
    let name = format!("mcp__s__{}", tool.definition().name);
    let server = ToolServer::new("s").always_load().tool(tool);
    let options = Options::new().tool_server(server).allow_tools(["mcp__s"]);
    cli.scenario(options)
        .turn(Turn::new().tool_use(name, json!({})))
        .turn("Done.")
        .prompt("Go.")
        .await
}

async fn one_call(cli: Cli, turn: Turn) -> Outcome {
    cli.scenario(allowed())
        .turn(turn)
        .turn("Done.")
        .prompt("Go.")
        .await
}

pub(super) async fn tool(cli: Cli) -> Outcome {
    adding(cli, allowed()).await
}

pub(super) async fn read_only_tool(cli: Cli) -> Outcome {
    one_call(cli, call("peek", json!({}))).await
}

pub(super) async fn tool_after_text(cli: Cli) -> Outcome {
    let input = json!({"a": 1, "b": 2});
    let turn = Turn::new().thinking("Better add.").text("Let me add.");
    one_call(cli, turn.tool_use("mcp__calc__add", input)).await
}

pub(super) async fn tools_in_sequence(cli: Cli) -> Outcome {
    let scenario = cli
        .scenario(allowed())
        .turn(add())
        .turn(call("peek", json!({})));
    scenario.turn(add()).turn("Done.").prompt("Go.").await
}

fn two(first: &str, second: &str) -> Turn {
    let input = |tool: &str| match tool {
        "add" => json!({"a": 1, "b": 2}),
        _ => json!({}),
    };
    text("Both.")
        .tool_use(format!("mcp__calc__{first}"), input(first))
        .tool_use(format!("mcp__calc__{second}"), input(second))
}

pub(super) async fn two_read_only_tools(cli: Cli) -> Outcome {
    one_call(cli, two("peek", "peek")).await
}

pub(super) async fn two_other_tools(cli: Cli) -> Outcome {
    one_call(cli, two("add", "add")).await
}

pub(super) async fn mixed_tools(cli: Cli) -> Outcome {
    one_call(cli, two("peek", "add")).await
}

pub(super) async fn two_servers(cli: Cli) -> Outcome {
    let clock = Tool::new("now", "The time", async || "noon");
    let clock = ToolServer::new("clock").always_load().tool(clock);
    let options = allowed().tool_server(clock).allow_tools(["mcp__clock"]);
    let turn = Turn::new()
        .tool_use("mcp__clock__now", json!({}))
        .tool_use("mcp__calc__add", json!({"a": 1, "b": 2}));
    cli.scenario(options)
        .turn(turn)
        .turn("Done.")
        .prompt("Go.")
        .await
}

pub(super) async fn tool_error(cli: Cli) -> Outcome {
    one_call(cli, call("fail", json!({}))).await
}

pub(super) async fn tool_panic(cli: Cli) -> Outcome {
    calling(
        cli,
        Tool::new("panic", "Panics", async || -> String {
            panic!("a planted panic")
        }),
    )
    .await
}

pub(super) async fn structured_result(cli: Cli) -> Outcome {
    let tool = Tool::new("data", "Data", async || {
        Json(json!({"city": "Oslo", "degrees": -3}))
    });
    calling(cli, tool).await
}

pub(super) async fn several_contents(cli: Cli) -> Outcome {
    let contents = async || vec![Content::text("one"), Content::text("two")];
    calling(cli, Tool::new("several", "Texts", contents)).await
}

pub(super) async fn empty_result(cli: Cli) -> Outcome {
    calling(cli, Tool::new("nothing", "Nothing", async || ())).await
}

pub(super) async fn titled_tool(cli: Cli) -> Outcome {
    let tool = Tool::new("read_it_all", "Reads", async || "all").title("Read everything");
    calling(cli, tool).await
}

pub(super) async fn unknown_tool(cli: Cli) -> Outcome {
    one_call(cli, Turn::new().tool_use("NoSuchTool", json!({"a": 1}))).await
}

pub(super) async fn unknown_tool_of_a_server(cli: Cli) -> Outcome {
    one_call(cli, call("divide", json!({"a": 1}))).await
}

pub(super) async fn invalid_input(cli: Cli) -> Outcome {
    one_call(cli, call("add", json!({"a": "fifteen"}))).await
}

pub(super) async fn server_status(cli: Cli) -> Outcome {
    let scenario = cli.scenario(allowed()).turn("Hello.");
    scenario
        .play(async |client| {
            client.send("Hello").await?.finish().await?;
            let servers = client.control().mcp_status().await?;
            assert_eq!(servers.len(), 1);
            Ok(())
        })
        .await
}

pub(super) async fn changed_tools(cli: Cli) -> Outcome {
    let server = super::server();
    let tools = server.handle();
    let options = Options::new()
        .tool_server(server)
        .allow_tools(["mcp__calc"]);
    let scenario = cli.scenario(options).turn("Hello.");
    scenario
        .turn(call("late", json!({})))
        .turn("Done.")
        .play(async |client| {
            client.send("Hello").await?.finish().await?;
            let late = Tool::new("late", "Is late", async || "at last").always_load();
            tools.put(late).expect("the name is valid");
            client.send("Go.").await?.finish().await?;
            Ok(())
        })
        .await
}
