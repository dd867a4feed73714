//! Options that a host reads from its configuration file.

use std::time::Duration;

use inhouse::options::{McpServer, SettingSource, ToolPermissionPolicy, ToolPolicy};
use serde_json::{Value, json};

#[test]
fn mcp_servers_round_trip_through_json() {
    let servers = [
        McpServer::stdio("db-mcp"),
        McpServer::stdio("db-mcp")
            .args(["--read-only", ""])
            .env("TOKEN", "secret")
            .timeout(Duration::from_millis(2500))
            .always_load(true),
        McpServer::sse("https://mcp.example/events"),
        McpServer::http("https://mcp.example")
            .header("X-Team", "sales")
            .tool_policy(ToolPolicy::new("rm", ToolPermissionPolicy::AlwaysDeny))
            .extra("oauth", json!({"clientId": "c"})),
    ];
    for server in servers {
        let config = Value::from(server.clone());
        let read: McpServer = serde_json::from_value(config.clone()).unwrap();
        assert!(read == server, "{config}");
        let parsed: McpServer = config.to_string().parse().unwrap();
        assert!(parsed == server, "{config}");
    }
}

#[test]
fn mcp_server_without_a_type_is_a_program() {
    let server: McpServer = r#"{"command": "db-mcp", "args": ["-v"]}"#.parse().unwrap();
    assert!(server == McpServer::stdio("db-mcp").args(["-v"]));
}

#[test]
fn invalid_mcp_server_is_an_error_that_says_why() {
    for (config, error) in [
        (json!({}), "a program needs a `command`"),
        (json!({"comand": "x"}), "a program needs a `command`"),
        (
            json!({"url": "https://a"}),
            "needs the `type` `http` or `sse`",
        ),
        (json!({"type": "http"}), "the type `http` needs a `url`"),
        (
            json!({"type": "http", "command": "x"}),
            "the type `http` needs a `url`",
        ),
        (
            json!({"command": "x", "url": "https://a"}),
            "either a `command` or a `url`",
        ),
        (json!({"type": "ws", "url": "wss://a"}), "unknown type `ws`"),
        (json!({"command": "x", "args": "-v"}), "expected a sequence"),
        (
            json!({"type": "http", "url": "https://a", "tools": [
                {"name": "rm", "permission_policy": "never"},
            ]}),
            "unknown permission policy `never` for the tool `rm`",
        ),
    ] {
        let refused = serde_json::from_value::<McpServer>(config.clone());
        let text = refused
            .expect_err("the configuration is invalid")
            .to_string();
        assert!(text.contains(error), "{config}: {text}");
    }
}

#[test]
fn setting_sources_round_trip_through_their_names() {
    for (source, name) in [
        (SettingSource::User, "user"),
        (SettingSource::Project, "project"),
        (SettingSource::Local, "local"),
    ] {
        assert_eq!(name.parse::<SettingSource>().unwrap(), source);
        assert_eq!(serde_json::to_value(source).unwrap(), json!(name));
        let read: SettingSource = serde_json::from_value(json!(name)).unwrap();
        assert_eq!(read, source);
    }
    let error = serde_json::from_value::<SettingSource>(json!("User")).unwrap_err();
    assert!(
        error.to_string().contains("unknown variant `User`"),
        "{error}"
    );
    assert!("".parse::<SettingSource>().is_err());
}
