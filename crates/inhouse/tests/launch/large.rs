use std::fs;
use std::path::PathBuf;

use inhouse::Options;
use inhouse::launch::{HostEnvironment, Plan};
use inhouse::options::{AgentDefinition, McpServer};
use serde_json::{Value, json};

use super::{arguments, plan};

const SIZE: usize = 300_000;

fn long() -> String {
    "x".repeat(SIZE)
}

/// Returns the path in the argument for this flag.
fn path_of(plan: &Plan, flag: &str) -> PathBuf {
    let arguments = arguments(plan);
    let value = arguments
        .iter()
        .find_map(|it| it.strip_prefix(&format!("--{flag}=")));
    PathBuf::from(value.expect("the flag exists"))
}

#[test]
fn promise_23_system_prompt_of_300_kb_is_in_initialize() {
    let plan = plan(&Options::new().system_prompt(long()));
    assert_eq!(plan.initialize.system_prompt, Some(vec![long()]));
    assert_eq!(arguments(&plan).len(), 3);
}

#[test]
fn large_schema_is_in_initialize() {
    let schema = json!({"type": "object", "description": long()});
    let plan = plan(&Options::new().json_schema(schema.clone()));
    assert_eq!(plan.initialize.json_schema, Some(schema));
    assert_eq!(arguments(&plan).len(), 3);
}

#[test]
fn large_managed_settings_are_in_initialize_and_must_be_confirmed() {
    let settings = json!({"note": long()});
    let plan = plan(&Options::new().managed_settings(settings.clone()));
    assert_eq!(plan.initialize.extra["managedSettings"], settings);
    assert!(plan.requires_managed_settings);
    assert_eq!(
        arguments(&plan)[3..],
        ["--await-initialize", "--managed-settings-in-initialize"]
    );
}

#[test]
fn large_settings_are_in_a_private_file_until_the_plan_is_dropped() {
    let settings = json!({"note": long()});
    let plan = plan(&Options::new().settings(settings.clone()));
    let path = path_of(&plan, "settings");

    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), settings);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    drop(plan);
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
    let plan = plan(&servers);
    let text = fs::read_to_string(path_of(&plan, "mcp-config")).unwrap();
    let config: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(config["mcpServers"].as_object().unwrap().len(), 100);
}

/// The operating system rejects a command line that is too long.
#[cfg(unix)]
#[test]
fn promise_23_process_starts_with_all_large_values_at_once() {
    let options = Options::new()
        .system_prompt(long())
        .agents([("a", AgentDefinition::new("d", long()))])
        .json_schema(json!({"type": "object", "description": long()}))
        .settings(json!({"note": long()}))
        .managed_settings(json!({"note": long()}))
        .mcp_server("s", McpServer::stdio("x").args([long()]));
    let plan = Plan::new(&options, "true", &HostEnvironment::default()).unwrap();
    assert!(plan.launch.to_command().status().unwrap().success());
}

#[test]
fn settings_file_is_read_to_merge_a_sandbox() {
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
        text.contains("cannot be read, so a sandbox or a policy cannot be merged into it"),
        "{text}"
    );
}
