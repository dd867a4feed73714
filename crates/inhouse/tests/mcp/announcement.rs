//! What `initialize` contains about in-process servers.

use std::time::Duration;

use inhouse::error::ErrorKind;
use inhouse::launch::{HostEnvironment, Plan};
use inhouse::options::McpServer;
use inhouse::tool::{Input, Tool, ToolPermissionPolicy, ToolPolicy, ToolServer};
use inhouse::{Client, Error, Options};
use inhouse_testkit::FakeCli;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{exchange, request};

#[derive(Deserialize, JsonSchema)]
struct Sum {
    /// First number
    a: f64,
    /// Second number
    b: f64,
}

fn add() -> Tool {
    let handler = async |Input(Sum { a, b }): Input<Sum>| a + b;
    Tool::new("add", "Add two numbers", handler)
}

fn noop(name: &str) -> Tool {
    Tool::new(name, "Does nothing", async || ())
}

fn arguments(options: &Options) -> String {
    let plan =
        Plan::new(options, "claude", &HostEnvironment::default()).expect("the options are valid");
    let text = |argument: &std::ffi::OsString| argument.to_str().expect("Unicode").to_owned();
    let arguments: Vec<String> = plan.launch.command.args.iter().map(text).collect();
    arguments.join("\n")
}

/// Returns the error of options that must fail before a transport is opened.
async fn refusal(options: Options) -> Error {
    let (transport, cli) = FakeCli::new();
    let error = Client::connect_with(options, transport).await;
    let error = error.expect_err("these options cannot be meant");
    assert_eq!(error.kind(), ErrorKind::Config);
    assert_eq!(cli.transcript(), "", "nothing was said");
    error
}

#[tokio::test(start_paused = true)]
async fn initialize_has_names_and_manifests() {
    let calc = ToolServer::new("calc")
        .version("2.0.0")
        .instructions("Prefer whole numbers.")
        .tool(add().read_only(true).always_load())
        .tool(noop("rest").title("Rest"));
    let options = Options::new()
        .tool_server(calc)
        .tool_server(ToolServer::new("empty"));
    FakeCli::play_cli(options, async |cli| {
        let initialize = cli.launched().initialize().clone();
        assert_eq!(initialize["sdkMcpServers"], json!(["calc", "empty"]));
        assert_eq!(initialize.get("sdkMcpServerConfigs"), None);
        let number = |description| json!({"type": "number", "description": description});
        let schema = json!({
            "type": "object",
            "properties": {"a": number("First number"), "b": number("Second number")},
            "required": ["a", "b"],
        });
        let add_listed = json!({
            "name": "add",
            "description": "Add two numbers",
            "inputSchema": schema,
            "annotations": {"readOnlyHint": true},
            "_meta": {"anthropic/alwaysLoad": true},
        });
        let rest_listed = json!({
            "name": "rest",
            "title": "Rest",
            "description": "Does nothing",
            "inputSchema": {"type": "object", "properties": {}},
        });
        let begins = |name, version| {
            json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"logging": {}, "tools": {"listChanged": true}},
                "serverInfo": {"name": name, "version": version},
            })
        };
        let mut calc_begins = begins("calc", "2.0.0");
        calc_begins["instructions"] = json!("Prefer whole numbers.");
        let manifests = json!({
            "calc": {
                "initializeResult": calc_begins,
                "toolsListResult": {"tools": [add_listed, rest_listed]},
            },
            "empty": {
                "initializeResult": begins("empty", "1.0.0"),
                "toolsListResult": {"tools": []},
            },
        });
        assert_eq!(initialize["sdkMcpServerManifests"], manifests);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn tool_policies_are_server_settings() {
    let calc = ToolServer::new("calc")
        .tool(add())
        .tool(noop("wipe"))
        .policy(ToolPolicy::new("add", ToolPermissionPolicy::AlwaysAsk))
        .policy(ToolPolicy::new("wipe", ToolPermissionPolicy::AlwaysDeny));
    FakeCli::play_cli(Options::new().tool_server(calc), async |cli| {
        let initialize = cli.launched().initialize().clone();
        let policies = json!([
            {"name": "add", "permission_policy": "always_ask"},
            {"name": "wipe", "permission_policy": "always_deny"},
        ]);
        let configs = json!({"calc": {"tools": policies}});
        assert_eq!(initialize["sdkMcpServerConfigs"], configs);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn longest_timeout_of_a_server_is_sent_to_the_cli() {
    let seconds = Duration::from_secs;
    let limited = |name, limit| noop(name).timeout(seconds(limit));
    let options = Options::new()
        .tool_server(ToolServer::new("none").tool(add()))
        .tool_server(ToolServer::new("empty").timeout(seconds(60)))
        .tool_server(ToolServer::new("server").timeout(seconds(60)).tool(add()))
        .tool_server(
            ToolServer::new("longer")
                .timeout(seconds(60))
                .tools([limited("a", 90), limited("b", 5)]),
        )
        .tool_server(ToolServer::new("tools").tools([limited("a", 6), limited("b", 5)]))
        // Calls of `add` have no limit, so the CLI must not apply that of `a` to them.
        .tool_server(ToolServer::new("mixed").tools([limited("a", 6), add()]));
    FakeCli::play_cli(options, async |cli| {
        let initialize = cli.launched().initialize().clone();
        let configs = json!({
            "empty": {"timeout": 60_000},
            "server": {"timeout": 60_000},
            "longer": {"timeout": 90_000},
            "tools": {"timeout": 6_000},
            "mixed": {"timeout": 100_000_000},
        });
        assert_eq!(initialize["sdkMcpServerConfigs"], configs);
    })
    .await;
}

#[test]
fn in_process_servers_are_not_on_the_command_line() {
    let plain = arguments(&Options::new());
    let served = Options::new().tool_server(ToolServer::new("calc").tool(add()));
    assert_eq!(arguments(&served), plain);
}

#[tokio::test(start_paused = true)]
async fn internal_and_external_servers_are_announced_separately() {
    let options = Options::new()
        .tool_server(ToolServer::new("calc").tool(add()))
        .mcp_server("files", McpServer::stdio("files-mcp"));
    let arguments = arguments(&options);
    assert!(arguments.contains("files-mcp"), "{arguments}");
    assert!(!arguments.contains("calc"), "{arguments}");
    FakeCli::play_cli(options, async |cli| {
        let initialize = cli.launched().initialize().clone();
        assert_eq!(initialize["sdkMcpServers"], json!(["calc"]));
        assert!(!initialize.to_string().contains("files"), "{initialize}");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn server_is_reached_by_its_key() {
    let calc = ToolServer::new("calc").tool(add());
    let options = Options::new().tool_server_as("sums", calc);
    FakeCli::play_cli(options, async |cli| {
        let initialize = cli.launched().initialize().clone();
        assert_eq!(initialize["sdkMcpServers"], json!(["sums"]));
        let begins = &initialize["sdkMcpServerManifests"]["sums"]["initializeResult"];
        assert_eq!(begins["serverInfo"]["name"], "calc");
        let sum = cli
            .call_tool("sums", "add", json!({"a": 15, "b": 27}))
            .await;
        assert_eq!(sum.all_text(), "42");
        let unknown = exchange(cli, "calc", request(1, "ping", json!({}))).await;
        assert_eq!(unknown["error"]["code"], -32601);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn duplicate_server_names_are_rejected_before_opening() {
    let server = || ToolServer::new("calc").tool(add());
    let both_inside = Options::new().tool_server(server()).tool_server(server());
    let one_outside = Options::new()
        .mcp_server("calc", McpServer::stdio("calc-mcp"))
        .tool_server(server());
    for options in [both_inside, one_outside] {
        let error = refusal(options).await.to_string();
        assert!(error.contains("`calc`"), "{error}");
        assert!(error.contains("tool_server_as"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn invalid_server_is_rejected_before_opening() {
    let broken = |schema: Value| {
        let tool = Tool::with_schema("broken", "Broken", schema, async || ());
        ToolServer::new("calc").tool(add()).tool(tool)
    };
    let cases = [
        (ToolServer::new("calc").tool(add()).tool(add()), "`add`"),
        (ToolServer::new("calc").tool(noop("")), "empty name"),
        (ToolServer::new(""), "tool_server"),
        (broken(json!({"type": 7})), "`broken`"),
        (broken(json!({"type": "string"})), "`broken`"),
    ];
    for (server, culprit) in cases {
        let error = refusal(Options::new().tool_server(server))
            .await
            .to_string();
        assert!(error.contains(culprit), "{culprit} in {error}");
    }
}
