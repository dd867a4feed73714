//! Tools that are added right before the prompt whose turn calls them.

use std::time::Duration;

use inhouse::Client;
use inhouse::tool::{Tool, ToolServer};
use inhouse_testkit::{RealCli, ScriptedModel, Turn};
use serde_json::json;
use tokio::time::timeout;

use crate::support::{report, runs};

/// Far more than a turn needs.
const DEADLINE: Duration = Duration::from_secs(120);

/// The rounds of one session: the conversation grows with each.
const ROUNDS: u32 = 50;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn new_tool_is_offered_and_called_in_the_next_turn() {
    let cli = RealCli::pinned().unwrap_or_else(|why| panic!("{why}"));
    let (mut not_offered, mut not_called) = (0, 0);
    let mut left = runs();
    while left > 0 {
        let rounds = left.min(ROUNDS);
        let missed = session(&cli, rounds).await;
        not_offered += missed.0;
        not_called += missed.1;
        left -= rounds;
    }
    let detail = format!("not_offered={not_offered} not_called={not_called}");
    report("hot_tools", runs(), not_offered.max(not_called), &detail);
}

/// Plays rounds in one session; returns in how many the new tool was not offered, and not called.
async fn session(cli: &RealCli, rounds: u32) -> (u32, u32) {
    let model = ScriptedModel::start().await.expect("a loopback port");
    let isolation = cli.isolated(&model).expect("a temporary directory");
    let server = ToolServer::new("s").always_load();
    let tools = server.handle();
    let options = isolation.options().tool_server(server);
    let connecting = Client::connect(options.allow_tools(["mcp__s"]));
    let mut client = connecting.await.expect("the session opens");

    let (mut not_offered, mut not_called) = (0, 0);
    for round in 0..rounds {
        let (name, text) = (format!("tool_{round}"), format!("result {round}"));
        let called = format!("mcp__s__{name}");
        model.turn(Turn::new().tool_use_with_id(format!("toolu_{round}"), &called, json!({})));
        model.turn("Done.");
        let result = text.clone();
        let tool = Tool::new(&name, "Came later", move || {
            let result = result.clone();
            async move { result }
        });
        tools.put(tool).expect("a valid tool");
        let turn = client.send(format!("Round {round}.")).await;
        let finished = timeout(DEADLINE, turn.expect("the session is alive").finish()).await;
        let finished = finished.unwrap_or_else(|_| panic!("round {round} takes too long"));
        finished.expect("a result");

        let requests = model.conversation();
        let [.., first, last] = requests.as_slice() else {
            panic!("two requests in each round");
        };
        let results = last.tool_results();
        let result = results.last().expect("the result of the call");
        not_offered += u32::from(!first.tools().contains(&called.as_str()));
        not_called += u32::from(result.is_error || result.text != text);
        assert!(tools.remove(&name));
    }
    model.assert_done();
    client.close().await.expect("the CLI exits");
    (not_offered, not_called)
}
