//! Tools that come and go while a session uses them.

use inhouse::tool::{Tool, ToolServer};
use inhouse::{Client, Options};
use inhouse_testkit::FakeCli;
use serde_json::{Value, json};

use crate::chart::{call, exchange, request, session, text, together, told};
use crate::witness::endless;

fn say(line: &'static str) -> Tool {
    Tool::new("say", "Says its line", async move || line)
}

/// Expects the news that the tools have changed; returns the names of those that there are now.
async fn listed_again(cli: &mut FakeCli, server: &str) -> Vec<String> {
    let method = "notifications/tools/list_changed";
    let news = json!({"jsonrpc": "2.0", "method": method, "params": {}});
    assert_eq!(told(cli).await, (server.to_owned(), news));
    let list = exchange(cli, server, request("list", "tools/list", json!({}))).await;
    let tools = list["result"]["tools"].as_array().expect("a list");
    let name = |tool: &Value| tool["name"].as_str().expect("a name").to_owned();
    tools.iter().map(name).collect()
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_comes_can_be_called_and_one_that_goes_cannot() {
    let server = ToolServer::new("s");
    let tools = server.handle();
    let (step, mut steps) = tokio::sync::mpsc::unbounded_channel::<()>();
    session(
        Options::new().tool_server(server),
        async |_| {
            tools.put(say("one")).unwrap();
            steps.recv().await;
            tools.put(say("two")).unwrap();
            steps.recv().await;
            assert!(tools.remove("say"));
            assert!(!tools.remove("say"), "it is gone, which is no news");
            steps.recv().await;
        },
        async |cli, _| {
            for line in ["one", "two"] {
                assert_eq!(listed_again(cli, "s").await, ["say"]);
                let said = exchange(cli, "s", call(2, "say", json!({}))).await;
                assert_eq!(said, text(2, line));
                step.send(()).unwrap();
            }
            assert!(listed_again(cli, "s").await.is_empty());
            let gone = cli.call_tool("s", "say", json!({})).await;
            assert!(gone.is_error);
            assert!(gone.all_text().contains("`say`"), "{}", gone.all_text());
            step.send(()).unwrap();
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn calls_of_a_tool_that_goes_run_on() {
    let (wait, mut journal) = endless("wait");
    let server = ToolServer::new("s").tool(wait);
    let tools = server.handle();
    session(
        Options::new().tool_server(server),
        async |_| {
            assert_eq!(journal.next().await, "toolu_1 began");
            tools.remove("wait");
        },
        async |cli, _| {
            cli.begin_tool_call("s", "wait", json!({})).await;
            assert!(listed_again(cli, "s").await.is_empty());
            cli.ignore("control_response");
        },
    )
    .await;
    journal.expect_stopped("toolu_1").await;
}

#[tokio::test(start_paused = true)]
async fn news_waits_until_the_cli_knows_the_server() {
    let server = ToolServer::new("s").tool(say("before"));
    let tools = server.handle();
    let (transport, mut cli) = FakeCli::new();
    let (through, until_through) = tokio::sync::oneshot::channel::<()>();
    let host = async {
        let options = Options::new().tool_server(server);
        let client = Client::connect_with(options, transport).await.unwrap();
        until_through.await.expect_err("it is only dropped");
        client.close().await.unwrap();
    };
    let cli = async move {
        let introduction = cli.expect_request("initialize").await;
        let manifest = &introduction.body()["sdkMcpServerManifests"]["s"]["toolsListResult"];
        assert_eq!(manifest["tools"][0]["name"], "say");
        tools.remove("say");
        // Whoever is to tell of it has the time to do so, and must not.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        let asked = cli.ask(json!({"subtype": "no_such_thing"})).await;
        cli.expect_answer(&asked).await;
        introduction.succeed(json!({})).await;
        assert!(listed_again(&mut cli, "s").await.is_empty());
        drop(through);
        cli.expect_end_of_input().await;
    };
    together(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn every_session_of_a_server_hears_of_a_change() {
    let server = ToolServer::new("s");
    let tools = server.handle();
    let (left, mut left_cli) = FakeCli::new();
    let (right, mut right_cli) = FakeCli::new();
    let host = async {
        let options = || Options::new().tool_server(server.clone());
        let (left, right) = tokio::join!(
            Client::connect_with(options(), left),
            Client::connect_with(options(), right),
        );
        tools.put(say("hello")).unwrap();
        (left.unwrap(), right.unwrap())
    };
    let clis = async {
        tokio::join!(left_cli.accept(), right_cli.accept());
    };
    let (clients, ()) = together(host, clis).await;
    for cli in [&mut left_cli, &mut right_cli] {
        assert_eq!(listed_again(cli, "s").await, ["say"]);
    }
    drop(clients);
}
