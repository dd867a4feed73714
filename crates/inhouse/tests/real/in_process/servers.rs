//! Servers: handshake, changes, and use beside external servers.

use inhouse::control::outgoing::{ManifestOutcome, McpConnection};
use inhouse::options::{AgentDefinition, McpServer};
use inhouse::tool::{Tool, ToolPermissionPolicy, ToolPolicy, ToolServer};
use inhouse::{Client, McpServers};
use inhouse_testkit::{ModelRequest, Turn};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{calling, connect, seen};
use crate::mcp::script;
use crate::world;

fn saying(name: &str, line: &'static str) -> ToolServer {
    let say = Tool::new("say", "Says its line", async move || line);
    ToolServer::new(name).always_load().tool(say)
}

async fn statuses(client: &Client) -> Vec<(String, McpConnection)> {
    let servers = client.control().mcp_status().await.unwrap();
    let status = |server: inhouse::control::outgoing::McpServerStatus| (server.name, server.status);
    servers.into_iter().map(status).collect()
}

#[tokio::test]
async fn cli_uses_the_manifest_instead_of_a_handshake() {
    world::pinned(async |world| {
        calling(world, [("say", json!({}))]);
        let server = saying("s", "hello").instructions("Say it loud, say it clear.");
        let mut client = connect(world, server).await;

        let initialized = client.control().initialization();
        let parked = initialized.sdk_mcp_manifests_parked.as_ref();
        let parked = parked.expect("the CLI supports manifests");
        assert_eq!(
            parked.get("s"),
            Some(&ManifestOutcome::Parked),
            "{parked:?}"
        );
        assert_eq!(world.ask(&mut client, "Say.").await, "Done.");

        assert_eq!(seen(world)[0].text, "hello");
        let request = &world.model.conversation()[0];
        let prompt = format!("{} {:?}", request.system_text(), request.messages());
        assert!(prompt.contains("Say it loud, say it clear."), "{prompt}");
        let status = client.control().mcp_status().await.unwrap();
        let info = status[0].server_info.as_ref().unwrap();
        assert_eq!((info.name.as_str(), info.version.as_str()), ("s", "1.0.0"));
    })
    .await;
}

/// The oldest CLI does not support manifests and makes the handshake.
#[tokio::test]
async fn oldest_cli_makes_the_handshake() {
    world::oldest(async |world| {
        calling(world, [("say", json!({}))]);
        let mut client = connect(world, saying("s", "hello")).await;

        let initialized = client.control().initialization();
        assert_eq!(initialized.sdk_mcp_manifests_parked, None);
        assert_eq!(world.ask(&mut client, "Say.").await, "Done.");

        let tools = world.model.conversation();
        let tools = tools[0].tools();
        assert!(tools.contains(&"mcp__s__say"), "{tools:?}");
        assert_eq!(seen(world)[0].text, "hello");
    })
    .await;
}

#[tokio::test]
async fn promise_17_always_loaded_tools_are_in_the_first_turn() {
    world::pinned(async |world| {
        world.model.turn("Done.");
        let noop = |name: &str| Tool::new(name, "Does nothing", async || ());
        let server = ToolServer::new("s")
            .tool(noop("present").always_load())
            .tool(noop("deferred"));
        let mut client = connect(world, server).await;

        assert_eq!(world.ask(&mut client, "Which tools?").await, "Done.");

        let requests = world.model.conversation();
        let tools = requests[0].tools();
        assert!(tools.contains(&"mcp__s__present"), "{tools:?}");
        assert!(!tools.contains(&"mcp__s__deferred"), "{tools:?}");
    })
    .await;
}

#[tokio::test]
async fn promise_17_tool_that_is_not_loaded_is_found_and_called() {
    world::pinned(async |world| {
        let search = json!({"query": "select:mcp__s__deferred"});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_search", "ToolSearch", search));
        calling(world, [("deferred", json!({}))]);
        let deferred = Tool::new("deferred", "Is found", async || "found");
        let server = ToolServer::new("s").tool(deferred.search_hint("needle"));
        let mut client = connect(world, server).await;

        assert_eq!(world.ask(&mut client, "Search.").await, "Done.");

        let requests = world.model.conversation();
        assert!(!requests[0].tools().contains(&"mcp__s__deferred"));
        let seen = seen(world);
        assert_eq!((seen[1].text.as_str(), seen[1].is_error), ("found", false));
    })
    .await;
}

#[tokio::test]
async fn internal_and_external_servers_work_together() {
    world::pinned(async |world| {
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "mcp__inside__say", json!({})))
            .turn(Turn::new().tool_use_with_id("toolu_2", "mcp__parrot__speak", json!({})))
            .turn("Done.");
        let parrot = McpServer::stdio("/bin/sh")
            .args([script(world).to_str().unwrap()])
            .env("LINE", "Pieces of eight!")
            .always_load(true);
        let options = world
            .options()
            .tool_server_as("inside", saying("else", "hello"))
            .mcp_server("parrot", parrot)
            .allow_tools(["mcp__inside", "mcp__parrot"]);
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Speak.").await, "Done.");

        let seen = seen(world);
        assert_eq!(seen[0].text, "hello");
        assert_eq!(seen[1].text, "Pieces of eight!");
        let mut statuses = statuses(&client).await;
        statuses.sort_by(|a, b| a.0.cmp(&b.0));
        let connected = |name: &str| (name.to_owned(), McpConnection::Connected);
        assert_eq!(statuses, [connected("inside"), connected("parrot")]);
    })
    .await;
}

#[tokio::test]
async fn promise_18_subagent_calls_an_in_process_tool() {
    world::pinned(async |world| {
        let of_agent = |request: &ModelRequest| request.agent_id().is_some();
        let task = json!({
            "description": "Speak",
            "prompt": "Say your line.",
            "subagent_type": "herald",
            "run_in_background": false,
        });
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "Agent", task))
            .once(
                of_agent,
                Turn::new().tool_use_with_id("toolu_2", "mcp__s__say", json!({})),
            )
            .once(of_agent, Turn::new().text("I said it."))
            .turn("Done.");
        let herald = AgentDefinition::new("Speaks.", "You are a herald.").mcp_servers(["s"]);
        let options = world
            .options()
            .tool_server(saying("s", "hello"))
            .agents([("herald", herald)])
            .allow_tools(["Agent", "mcp__s"]);
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Speak.").await, "Done.");

        let requests = world.model.conversation();
        let agent: Vec<_> = requests
            .iter()
            .filter(|request| of_agent(request))
            .collect();
        assert!(
            agent[0].tools().contains(&"mcp__s__say"),
            "{:?}",
            agent[0].tools()
        );
        assert_eq!(agent[1].tool_results()[0].text, "hello");
    })
    .await;
}

#[tokio::test]
async fn servers_are_added_and_removed_during_a_session() {
    world::pinned(async |world| {
        calling(world, [("say", json!({}))]);
        calling(world, [("say", json!({}))]);
        calling(world, [("say", json!({}))]);
        let mut client = world.connect(world.options().allow_tools(["mcp__s"])).await;
        let control = client.control().clone();

        let first = McpServers::new().tool_server(saying("s", "first"));
        let reply = control.set_mcp_servers(first).await.unwrap();
        assert_eq!(reply.added, ["s"]);
        assert!(reply.errors.is_empty(), "{:?}", reply.errors);
        assert_eq!(world.ask(&mut client, "One.").await, "Done.");
        let second = McpServers::new().tool_server(saying("s", "second"));
        control.set_mcp_servers(second).await.unwrap();
        assert_eq!(world.ask(&mut client, "Two.").await, "Done.");
        let reply = control.set_mcp_servers(McpServers::new()).await.unwrap();
        assert_eq!(reply.removed, ["s"]);
        assert_eq!(world.ask(&mut client, "Three.").await, "Done.");

        let seen = seen(world);
        assert_eq!((seen[0].text.as_str(), seen[0].is_error), ("first", false));
        assert_eq!((seen[1].text.as_str(), seen[1].is_error), ("second", false));
        assert!(seen[2].is_error, "{:?}", seen[2]);
        assert!(statuses(&client).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn server_is_switched_off_and_on_again() {
    world::pinned(async |world| {
        for _ in 0..3 {
            calling(world, [("say", json!({}))]);
        }
        let mut client = connect(world, saying("s", "hello")).await;
        let control = client.control().clone();

        assert_eq!(world.ask(&mut client, "One.").await, "Done.");
        control.toggle_mcp_server("s", false).await.unwrap();
        let off = statuses(&client).await;
        assert_eq!(world.ask(&mut client, "Two.").await, "Done.");
        control.toggle_mcp_server("s", true).await.unwrap();
        let on = statuses(&client).await;
        assert_eq!(world.ask(&mut client, "Three.").await, "Done.");

        assert_eq!(off, [("s".to_owned(), McpConnection::Disabled)]);
        assert_eq!(on, [("s".to_owned(), McpConnection::Connected)]);
        let failed: Vec<bool> = seen(world).iter().map(|result| result.is_error).collect();
        assert_eq!(failed, [false, true, false]);
    })
    .await;
}

/// A session whose tool `say` has a policy, and its permission requests.
async fn under(
    world: &world::World,
    policy: ToolPermissionPolicy,
    later: bool,
) -> (Client, mpsc::UnboundedReceiver<Value>) {
    let (sender, questions) = mpsc::unbounded_channel();
    let options = world
        .options()
        .extra_arg("permission-prompt-tool", Some("stdio"))
        .allow_tools(["mcp__s"])
        .on_request("can_use_tool", move |request: Value| {
            sender
                .send(request.clone())
                .expect("the test holds the receiver");
            async move {
                let input = &request["input"];
                Ok::<_, String>(json!({"behavior": "allow", "updatedInput": input}))
            }
        });
    let server = saying("s", "hello").policy(ToolPolicy::new("say", policy));
    if !later {
        return (world.connect(options.tool_server(server)).await, questions);
    }
    let client = world.connect(options).await;
    let servers = McpServers::new().tool_server(server);
    client.control().set_mcp_servers(servers).await.unwrap();
    (client, questions)
}

#[tokio::test]
async fn always_ask_tool_asks_despite_allow_rules() {
    for later in [false, true] {
        world::pinned(async |world| {
            calling(world, [("say", json!({}))]);
            let policy = ToolPermissionPolicy::AlwaysAsk;
            let (mut client, mut questions) = under(world, policy, later).await;

            assert_eq!(world.ask(&mut client, "Say.").await, "Done.");

            let question = questions.try_recv().expect("the host gets a request");
            assert_eq!(question["tool_name"], "mcp__s__say");
            assert!(questions.try_recv().is_err(), "once");
            assert_eq!(seen(world)[0].text, "hello");
        })
        .await;
    }
}

#[tokio::test]
async fn always_denied_tool_never_runs() {
    for later in [false, true] {
        world::pinned(async |world| {
            calling(world, [("say", json!({}))]);
            let policy = ToolPermissionPolicy::AlwaysDeny;
            let (mut client, mut questions) = under(world, policy, later).await;

            assert_eq!(world.ask(&mut client, "Say.").await, "Done.");

            assert!(questions.try_recv().is_err(), "no permission is requested");
            let seen = seen(world);
            assert!(seen[0].is_error, "{:?}", seen[0]);
            assert_ne!(seen[0].text, "hello");
        })
        .await;
    }
}
