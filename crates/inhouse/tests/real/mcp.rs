//! External MCP servers.

use std::fs;
use std::path::PathBuf;

use inhouse::control::outgoing::McpConnection;
use inhouse::options::McpServer;
use inhouse_testkit::Turn;
use serde_json::json;

use crate::world::{self, World};

/// A server with one tool, which returns its line.
const SERVER: &str = r#"
say() {
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"
}
while read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
    case $line in
        *'"method":"initialize"'*)
            say '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"parrot","version":"1.0"}}' ;;
        *'"method":"tools/list"'*)
            say '{"tools":[{"name":"speak","description":"Says its line.","inputSchema":{"type":"object"}}]}' ;;
        *'"method":"tools/call"'*)
            say '{"content":[{"type":"text","text":"'"$LINE"'"}]}' ;;
    esac
done
"#;

pub(crate) fn script(world: &World) -> PathBuf {
    let path = world.cwd().join("parrot.sh");
    fs::write(&path, SERVER).unwrap();
    path
}

#[tokio::test]
async fn tool_of_an_external_server_is_called() {
    world::pinned(async |world| {
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "mcp__parrot__speak", json!({})))
            .turn("It spoke.");
        let server = McpServer::stdio("/bin/sh")
            .args([script(world).to_str().unwrap()])
            .env("LINE", "Pieces of eight!")
            .always_load(true);
        let options = world
            .options()
            .mcp_server("parrot", server)
            .allow_tools(["mcp__parrot__speak"]);
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Speak!").await, "It spoke.");

        let requests = world.model.conversation();
        let tools = requests[0].tools();
        assert!(tools.contains(&"mcp__parrot__speak"), "{tools:?}");
        let seen = requests[1].tool_results();
        assert_eq!(seen[0].text, "Pieces of eight!");
        let servers = client.control().mcp_status().await.unwrap();
        assert_eq!(servers.len(), 1);
        assert_eq!(servers[0].status, McpConnection::Connected);
        let info = servers[0].server_info.as_ref().unwrap();
        assert_eq!(
            (info.name.as_str(), info.version.as_str()),
            ("parrot", "1.0")
        );
        let tools = servers[0].tools.as_ref().unwrap();
        assert_eq!(tools[0].name, "speak");
    })
    .await;
}

#[tokio::test]
async fn servers_are_read_from_a_file() {
    world::pinned(async |world| {
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "mcp__parrot__speak", json!({})))
            .turn("It spoke.");
        let config = world.cwd().join("servers.json");
        let server = json!({
            "command": "/bin/sh",
            "args": [script(world)],
            "env": {"LINE": "Polly wants a cracker."},
            "alwaysLoad": true,
        });
        let servers = json!({"mcpServers": {"parrot": server}});
        fs::write(&config, servers.to_string()).unwrap();
        let options = world
            .options()
            .mcp_config_file(&config)
            .strict_mcp_config(true)
            .allow_tools(["mcp__parrot"]);
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Speak!").await, "It spoke.");

        let seen = world.model.conversation()[1].tool_results();
        assert_eq!(seen[0].text, "Polly wants a cracker.");
    })
    .await;
}

#[tokio::test]
async fn server_is_switched_off_and_on_again() {
    world::pinned(async |world| {
        let call = |id| Turn::new().tool_use_with_id(id, "mcp__parrot__speak", json!({}));
        for id in ["toolu_1", "toolu_2", "toolu_3"] {
            world.model.turn(call(id)).turn("Done.");
        }
        let server = McpServer::stdio("/bin/sh")
            .args([script(world).to_str().unwrap()])
            .env("LINE", "Ahoy!")
            .always_load(true);
        let options = world
            .options()
            .mcp_server("parrot", server)
            .allow_tools(["mcp__parrot__speak"]);
        let mut client = world.connect(options).await;
        let control = client.control().clone();

        world.ask(&mut client, "First?").await;
        control.toggle_mcp_server("parrot", false).await.unwrap();
        let off = control.mcp_status().await.unwrap();
        world.ask(&mut client, "Second?").await;
        control.toggle_mcp_server("parrot", true).await.unwrap();
        let on = control.mcp_status().await.unwrap();
        world.ask(&mut client, "Third?").await;

        assert_eq!(off[0].status, McpConnection::Disabled);
        assert_eq!(on[0].status, McpConnection::Connected);
        // The CLI keeps the list of offered tools unchanged for the prompt cache.
        let seen = world.model.conversation()[5].tool_results();
        let failed: Vec<bool> = seen.iter().map(|result| result.is_error).collect();
        assert_eq!(failed, [false, true, false], "{seen:?}");
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn server_that_fails_to_start_does_not_stop_the_session() {
    world::pinned(async |world| {
        world.model.turn("Fine.");
        let server = McpServer::stdio("/no/such/server");
        let options = world.options().mcp_server("ghost", server);
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "How are you?").await, "Fine.");

        let servers = client.control().mcp_status().await.unwrap();
        assert_eq!(servers[0].name, "ghost");
        assert_eq!(servers[0].status, McpConnection::Failed);
    })
    .await;
}

#[tokio::test]
async fn promise_17_first_turn_has_the_tools_of_an_awaited_slow_server() {
    world::pinned(async |world| {
        world.model.turn("Ready.");
        // The server answers nothing before the file exists.
        let (script, gate) = (script(world), world.cwd().join("gate"));
        let start = "until [ -e \"$GATE\" ]; do sleep 0.05; done; exec /bin/sh \"$0\"";
        let server = McpServer::stdio("/bin/sh")
            .args(["-c", start, script.to_str().unwrap()])
            .env("GATE", gate.to_str().unwrap())
            .env("LINE", "Late!");
        let options = world
            .options()
            .mcp_server("parrot", server.always_load(true));
        let mut client = world.connect(options).await;
        let control = client.control();

        let limited = control.with_timeout(std::time::Duration::from_millis(300));
        let error = limited.wait_mcp_ready().await.unwrap_err();
        assert!(error.to_string().contains("parrot"), "{error}");
        fs::write(&gate, "").unwrap();
        let servers = control.wait_mcp_ready().await.unwrap();
        assert_eq!(servers[0].status, McpConnection::Connected);

        assert_eq!(world.ask(&mut client, "Ready?").await, "Ready.");
        let requests = world.model.conversation();
        let tools = requests[0].tools();
        assert!(tools.contains(&"mcp__parrot__speak"), "{tools:?}");
    })
    .await;
}
