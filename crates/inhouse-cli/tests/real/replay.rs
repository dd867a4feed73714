use inhouse::query;
use inhouse::tool::{Input, Tool, ToolServer};
use inhouse_testkit::host::{report, this_test};
use inhouse_testkit::{Isolation, RealCli, ScriptedModel, Turn};
use serde_json::json;
use tokio::process::Command;

/// The variable that makes the tool of the agent subtract.
const CHANGED: &str = "INHOUSE_TEST_CHANGED";

#[derive(serde::Deserialize, inhouse::schemars::JsonSchema)]
#[schemars(crate = "inhouse::schemars")]
struct Pair {
    a: i64,
    b: i64,
}

/// The program that is recorded and replayed; does nothing as a test.
#[tokio::test]
async fn agent() {
    let Some(isolation) = Isolation::from_env() else {
        return;
    };
    let is_changed = std::env::var_os(CHANGED).is_some();
    let add = async move |Input(Pair { a, b }): Input<Pair>| match is_changed {
        true => (a - b).to_string(),
        false => (a + b).to_string(),
    };
    let server =
        ToolServer::new("calc")
            .always_load()
            .tool(Tool::new("add", "Adds two numbers", add));
    let options = isolation
        .options()
        .tool_server(server)
        .allow_tools(["mcp__calc"])
        .record(isolation.root().join("trace.jsonl"));
    let answer = query("What is 15 + 27?").options(options).await.unwrap();
    report("answer", answer.text().await.unwrap());
}

/// Gives a command the environment of a host in this isolation.
fn in_isolation(command: impl Into<Command>, isolation: &Isolation) -> Command {
    let mut command = command.into();
    command
        .env_clear()
        .envs(isolation.host_env())
        .current_dir(isolation.root())
        .kill_on_drop(true);
    command
}

/// Returns the command that replays the recording against the agent.
fn replay(options: &[&str]) -> Command {
    let agent = this_test("replay::agent").unwrap();
    let mut replay = Command::new(env!("CARGO_BIN_EXE_inhouse"));
    replay.args(["replay", "trace.jsonl"]).args(options);
    replay.arg("--").arg(agent.get_program());
    replay.args(agent.get_args());
    replay
}

#[tokio::test]
async fn recorded_session_of_the_real_cli_is_replayed() {
    let model = ScriptedModel::start().await.unwrap();
    let call = Turn::new().tool_use("mcp__calc__add", json!({ "a": 15, "b": 27 }));
    model.turn(call).turn("It is 42.");
    let isolation = RealCli::pinned().unwrap().isolated(&model).unwrap();
    let mut live = in_isolation(this_test("replay::agent").unwrap(), &isolation);
    let live = live.output().await.unwrap();
    assert!(live.status.success(), "{live:?}");
    model.assert_done();
    assert_eq!(model.conversation()[1].tool_results()[0].text, "42");
    let requests = model.requests().len();

    let replayed = in_isolation(replay(&[]), &isolation)
        .output()
        .await
        .unwrap();
    let stdout = String::from_utf8(replayed.stdout).unwrap();
    assert!(replayed.status.success(), "{stdout}");
    for expected in [
        r#"answer "It is 42.""#,
        "The program said the same as in the recording: 1 turn, 1 tool call",
    ] {
        assert!(stdout.contains(expected), "{stdout}");
    }

    let mut changed = in_isolation(replay(&["--lenient"]), &isolation);
    let changed = changed.env(CHANGED, "1").output().await.unwrap();
    let stdout = String::from_utf8(changed.stdout).unwrap();
    assert!(!changed.status.success(), "{stdout}");
    for expected in [
        r#"answer "It is 42.""#,
        "the result of the tool `add` of the server `calc`",
        "- recorded  \"42\"",
        "+ now       \"-12\"",
    ] {
        assert!(stdout.contains(expected), "{stdout}");
    }
    // No replay has asked a model.
    assert_eq!(model.requests().len(), requests);
}
