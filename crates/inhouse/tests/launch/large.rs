use std::fs;
use std::path::PathBuf;

use inhouse::Options;
use inhouse::launch::{HostEnvironment, Launch};
use inhouse::options::{AgentDefinition, McpServer};
use serde_json::{Value, json};

use super::{arguments, plan};

const SIZE: usize = 300_000;

fn long() -> String {
    "x".repeat(SIZE)
}

/// The path in the argument for this flag.
fn path_of(launch: &Launch, flag: &str) -> PathBuf {
    let arguments = arguments(launch);
    let value = arguments
        .iter()
        .find_map(|it| it.strip_prefix(&format!("--{flag}=")));
    PathBuf::from(value.expect("the flag is there"))
}

#[test]
fn trap_23_a_system_prompt_of_300_kb_is_in_the_first_request() {
    let launch = plan(&Options::new().system_prompt(long()));
    assert_eq!(launch.initialize.system_prompt, Some(vec![long()]));
    assert_eq!(arguments(&launch).len(), 3);
}

#[test]
fn a_large_schema_is_in_the_first_request() {
    let schema = json!({"type": "object", "description": long()});
    let launch = plan(&Options::new().json_schema(schema.clone()));
    assert_eq!(launch.initialize.json_schema, Some(schema));
    assert_eq!(arguments(&launch).len(), 3);
}

#[test]
fn large_managed_settings_are_in_the_first_request_and_must_be_confirmed() {
    let settings = json!({"note": long()});
    let launch = plan(&Options::new().managed_settings(settings.clone()));
    assert_eq!(launch.initialize.extra["managedSettings"], settings);
    assert!(launch.requires_managed_settings);
    assert_eq!(
        arguments(&launch)[3..],
        ["--await-initialize", "--managed-settings-in-initialize"]
    );
}

#[test]
fn large_settings_are_in_a_private_file_as_long_as_the_launch_lives() {
    let settings = json!({"note": long()});
    let launch = plan(&Options::new().settings(settings.clone()));
    let path = path_of(&launch, "settings");

    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), settings);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    drop(launch);
    assert!(!path.exists());
}

#[test]
fn many_mcp_servers_are_in_a_private_file() {
    let servers = (0..100).fold(Options::new(), |options, number| {
        options.mcp_server(
            format!("s{number}"),
            McpServer::stdio("x").args(["y".repeat(3000)]),
        )
    });
    let launch = plan(&servers);
    let text = fs::read_to_string(path_of(&launch, "mcp-config")).unwrap();
    let config: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(config["mcpServers"].as_object().unwrap().len(), 100);
}

/// The system itself says whether a command line is too long.
#[cfg(unix)]
#[test]
fn trap_23_a_process_starts_with_everything_large_at_once() {
    let options = Options::new()
        .system_prompt(long())
        .agents([("a", AgentDefinition::new("d", long()))])
        .json_schema(json!({"type": "object", "description": long()}))
        .settings(json!({"note": long()}))
        .managed_settings(json!({"note": long()}))
        .mcp_server("s", McpServer::stdio("x").args([long()]));
    let launch = Launch::plan(&options, "true", &HostEnvironment::default()).unwrap();
    assert!(launch.to_command().status().unwrap().success());
}

#[test]
fn a_settings_file_is_read_where_a_sandbox_must_be_merged_into_it() {
    use inhouse::options::SandboxSettings;

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("s.json");
    fs::write(
        &file,
        "\u{feff}{\"model\": \"opus\", \"sandbox\": {\"enabled\": false}}",
    )
    .unwrap();
    let options = Options::new()
        .cwd(directory.path())
        .settings("s.json")
        .sandbox(SandboxSettings::enabled());
    let arguments = arguments(&plan(&options));
    assert_eq!(
        arguments[3..],
        [r#"--settings={"model":"opus","sandbox":{"enabled":true,"failIfUnavailable":true}}"#]
    );

    fs::write(&file, "{broken").unwrap();
    let text = super::refusal(&options).to_string();
    assert!(
        text.contains("the settings file s.json is not a JSON object"),
        "{text}"
    );

    fs::remove_file(&file).unwrap();
    let text = super::refusal(&options).to_string();
    assert!(
        text.contains("cannot be read, which a sandbox or a policy has to be merged into"),
        "{text}"
    );
}
