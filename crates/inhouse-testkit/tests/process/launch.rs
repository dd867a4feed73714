//! The command line, environment and files of a real process.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use inhouse::options::McpServer;
use inhouse_testkit::Script;
use serde_json::json;

use crate::support::{FakeProcess, wait_until, within};

#[tokio::test]
async fn promise_23_value_that_starts_with_a_dash_stays_a_value() {
    let fake = FakeProcess::new(&Script::new().echo());
    let options = fake.options().model("--dangerous").env("LD_NOTHING", "1");
    let client = within(inhouse::Client::connect(options)).await.unwrap();
    within(client.close()).await.unwrap();
    let record = fake.record().unwrap();
    assert!(
        record.args.contains(&"--model=--dangerous".to_owned()),
        "{:?}",
        record.args
    );
    assert!(
        record.args.iter().all(|arg| arg.starts_with("--")),
        "{:?}",
        record.args
    );
    assert!(record.env.contains("LD_NOTHING"), "{:?}", record.env);
    fake.assert_gone();
}

#[tokio::test]
async fn promise_23_prompt_longer_than_any_argument_is_delivered() {
    let fake = FakeProcess::new(&Script::new().echo());
    let options = fake.options().system_prompt("x".repeat(300 * 1024));
    let client = within(inhouse::Client::connect(options)).await.unwrap();
    within(client.close()).await.unwrap();
    fake.assert_gone();
}

#[tokio::test]
async fn secrets_are_in_private_files_and_not_in_the_command_line() {
    const SECRET: &str = "hunter2";
    let fake = FakeProcess::new(&Script::new().echo());
    let options = fake
        .options()
        .settings(json!({"env": {"TOKEN": SECRET}}))
        .mcp_server("program", McpServer::stdio("npx").env("TOKEN", SECRET))
        .mcp_server(
            "service",
            McpServer::http("https://mcp.example").header("Authorization", SECRET),
        );
    let client = within(inhouse::Client::connect(options)).await.unwrap();

    let record = fake.record().unwrap();
    assert!(!record.args.concat().contains(SECRET), "{:?}", record.args);
    if cfg!(target_os = "linux") {
        let command_line = fs::read(format!("/proc/{}/cmdline", record.pid)).unwrap();
        let command_line = String::from_utf8(command_line).unwrap();
        assert!(command_line.contains("--settings="), "{command_line}");
        assert!(!command_line.contains(SECRET), "{command_line}");
    }
    let files = ["--settings=", "--mcp-config="].map(|flag| {
        let value = record.args.iter().find_map(|arg| arg.strip_prefix(flag));
        PathBuf::from(value.unwrap())
    });
    for file in &files {
        assert!(fs::read_to_string(file).unwrap().contains(SECRET));
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    within(client.close()).await.unwrap();
    fake.assert_gone();
    wait_until("the private files are removed", || {
        !files.iter().any(|file| file.exists())
    });
}
