//! `inhouse replay`, with this test executable as the program: it runs the test `agent`.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use inhouse::options::McpServer;
use inhouse::record::Record;
use inhouse::tool::{Input, Tool, ToolError, ToolServer};
use inhouse::transport::Transport;
use inhouse::{Client, Options, Query, query};
use inhouse_testkit::host::this_test;
use inhouse_testkit::{FakeCli, run};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{printed, refused};

/// The variable that makes the test `agent` the program of a replay, and says what it does.
const AGENT: &str = "INHOUSE_TEST_AGENT";

const PROMPT: &str = "What is 15 + 27? And what is 1 / 0?";

#[derive(serde::Deserialize, inhouse::schemars::JsonSchema)]
#[schemars(crate = "inhouse::schemars")]
struct Pair {
    a: f64,
    b: f64,
}

/// A value that the options mark as secret.
const MARKED: &str = "Ada Lovelace";

/// The value of a variable for the CLI that has no name of a secret.
const VARIABLE: &str = "Analytical-Engine-1843";

/// The value of a header of an MCP server.
const HEADER: &str = "note-g-of-the-translation";

/// A value that only the machine of the recording knows as a secret.
const ELSEWHERE: &str = "Bernoulli-numbers";

/// The options of an agent with secrets, recorded to this file.
fn secretive(file: &Path, record: impl FnOnce(Record) -> Record) -> Options {
    let server = McpServer::http("http://127.0.0.1:9/mcp").header("X-Notes", HEADER);
    Options::new()
        .clean_env()
        .env("MACHINE", VARIABLE)
        .mcp_server("notes", server)
        .record(record(Record::file(file).redact(MARKED)))
}

/// The prompt of the agent with secrets.
fn secretive_prompt(verb: &str) -> String {
    format!("{verb} to {MARKED} about {VARIABLE}, {HEADER} and {ELSEWHERE}.")
}

/// The calculator of the examples, with this implementation of `add`.
fn calculator(add: fn(f64, f64) -> f64) -> Options {
    let add = Tool::new(
        "add",
        "Add two numbers",
        async move |Input(Pair { a, b }): Input<Pair>| add(a, b),
    );
    let divide = Tool::new(
        "divide",
        "Divide one number by another",
        async |Input(Pair { a, b }): Input<Pair>| match b {
            0.0 => Err(ToolError::new("division by zero: use another divisor")),
            _ => Ok(a / b),
        },
    );
    let server = ToolServer::new("calc").tool(add).tool(divide);
    Options::new().tool_server(server)
}

/// Asks the calculator; returns the messages, without the id of the prompt, which the host chooses.
async fn ask(question: Query<impl Transport>) -> inhouse::Result<Vec<Value>> {
    let mut stream = question.await?;
    let mut messages = Vec::new();
    while let Some(message) = stream.next().await {
        let mut message: Value = serde_json::from_str(message?.raw()).unwrap();
        for name in ["user_message_uuid", "user_message_uuids"] {
            message.as_object_mut().unwrap().remove(name);
        }
        messages.push(message);
    }
    Ok(messages)
}

/// A recording of the calculator, in a directory where the agent writes its messages as well.
struct Recorded {
    directory: TempDir,
    messages: Vec<Value>,
}

impl Recorded {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let options = calculator(|a, b| a + b).record(directory.path().join("trace.jsonl"));
        let (messages, ()) = run(FakeCli::play_with(
            async |transport| ask(query(PROMPT).options(options).transport(transport)).await,
            async |mut cli| {
                cli.accept().await;
                cli.expect_prompt().await;
                cli.init().await;
                for (tool, arguments) in [
                    ("add", json!({ "a": 15, "b": 27 })),
                    ("divide", json!({ "a": 1, "b": 0 })),
                ] {
                    cli.call_tool("calc", tool, arguments).await;
                }
                cli.turn("15 + 27 is 42. Nothing can be divided by zero.")
                    .await;
            },
        ));
        Self {
            directory,
            messages,
        }
    }

    /// Records an agent with secrets.
    fn secretive() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("trace.jsonl");
        let options = secretive(&file, |record| record.redact(ELSEWHERE));
        let prompt = secretive_prompt("write");
        let (messages, ()) = run(FakeCli::play_with(
            async |transport| ask(query(prompt).options(options).transport(transport)).await,
            async |mut cli| {
                cli.accept().await;
                cli.expect_prompt().await;
                cli.turn("Done.").await;
            },
        ));
        Self {
            directory,
            messages,
        }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Replays the recording against this agent.
    fn replay(&self, agent: &str, options: &[&str]) -> Output {
        let test = this_test("replay::agent").unwrap();
        // The stage is below it.
        let temporary = self.path().join("temporary");
        fs::create_dir_all(&temporary).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_inhouse"));
        command
            .current_dir(self.path())
            .env(AGENT, agent)
            .env("TMPDIR", &temporary)
            .args(["replay", "trace.jsonl"])
            .args(options)
            .arg("--")
            .arg(test.get_program())
            .args(test.get_args());
        command.output().unwrap()
    }

    /// Replays the recording against an agent that must differ; returns the output and the error.
    fn differs(&self, agent: &str, options: &[&str]) -> (String, String) {
        let output = self.replay(agent, options);
        let [stdout, stderr] =
            [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        assert!(!output.status.success(), "{stdout}\n{stderr}");
        (stdout, stderr)
    }

    /// Returns the messages that the agent read.
    fn replayed(&self) -> Vec<Value> {
        serde_json::from_slice(&fs::read(self.path().join("messages.json")).unwrap()).unwrap()
    }
}

/// The program of a replay; does nothing as a test.
#[tokio::test]
async fn agent() {
    let Ok(agent) = std::env::var(AGENT) else {
        return;
    };
    // Nothing of this reaches a CLI: it is in another place, has no environment, and the recording is not replaced.
    let options = calculator(if agent == "subtract" {
        |a, b| a - b
    } else {
        |a, b| a + b
    })
    .cli_path("/nowhere/claude")
    .clean_env()
    .record("trace.jsonl");
    match agent.as_str() {
        "silent" => {
            let mut client = Client::connect(options).await.unwrap();
            let error = client.messages().next().await.unwrap().unwrap_err();
            panic!("{error:?}");
        }
        "no session" => {}
        "write" | "call" => {
            let options = secretive(Path::new("trace.jsonl"), |record| record);
            let prompt = secretive_prompt(&agent);
            ask(query(prompt).options(options)).await.unwrap();
        }
        _ => {
            let messages = ask(query(PROMPT).options(options.clone())).await.unwrap();
            fs::write("messages.json", serde_json::to_vec(&messages).unwrap()).unwrap();
        }
    }
    if agent == "two sessions" {
        let error = ask(query(PROMPT).options(options)).await.unwrap_err();
        assert!(error.to_string().contains("another session"), "{error}");
    }
}

#[test]
fn calculator_replays_to_the_same_messages() {
    let recorded = Recorded::new();
    let file = recorded.path().join("trace.jsonl");
    let before = fs::read(&file).unwrap();
    for options in [&[][..], &["--lenient", "--timed"]] {
        let output = recorded.replay("add", options);
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{output:?}");
        let end = "The program said the same as in the recording: 1 turn, 2 tool calls\n";
        assert!(stdout.ends_with(end), "{stdout}");
        assert_eq!(recorded.replayed(), recorded.messages);
    }
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn changed_tool_fails_a_strict_replay_with_a_diff() {
    let recorded = Recorded::new();
    let (stdout, stderr) = recorded.differs("subtract", &[]);
    let diff = "line 8 of the recording (0.000 s) differs: the result of the tool `add` of the server `calc`
  called with {\"a\":15,\"b\":27}
  at response.response.mcp_response.result.content[0].text:
    - recorded  \"42\"
    + now       \"-12\"";
    assert!(stdout.contains(diff), "{stdout}");
    let error = "error: the program differs from the recording: 1 difference. If that is intended, record the session again";
    assert!(stderr.contains(error), "{stderr}");
    // The session of the program failed with the same diff.
    assert!(stderr.contains("    + now       \"-12\""), "{stderr}");
    assert!(!fs::exists(recorded.path().join("messages.json")).unwrap());
    let guide = include_str!("../../../inhouse/src/guide/debugging.md");
    assert!(
        guide.contains(diff) && guide.contains(error),
        "the guide shows another output"
    );
}

#[test]
fn lenient_replay_runs_on_and_compares_every_result() {
    let recorded = Recorded::new();
    let (stdout, stderr) = recorded.differs("subtract", &["--lenient", "--json"]);
    assert_eq!(recorded.replayed(), recorded.messages);
    assert!(stderr.contains("1 difference"), "{stderr}");
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (&report["same"], &report["complete"]),
        (&json!(false), &json!(true))
    );
    let [difference] = report["differences"].as_array().unwrap().as_slice() else {
        panic!("{report}");
    };
    assert_eq!(difference["line"], 8);
    assert_eq!(difference["arguments"], json!({ "a": 15, "b": 27 }));
    let change = &difference["changes"][0];
    assert_eq!(
        (&change["recorded"], &change["now"]),
        (&json!("42"), &json!("-12"))
    );
}

#[test]
fn secrets_of_the_program_are_compared_as_redacted() {
    let recorded = Recorded::secretive();
    let output = recorded.replay("write", &["--redact", ELSEWHERE]);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn difference_shows_no_secret_of_the_program() {
    let recorded = Recorded::secretive();
    for options in [
        &["--redact", ELSEWHERE][..],
        &["--redact", ELSEWHERE, "--json"],
    ] {
        let (stdout, stderr) = recorded.differs("call", options);
        let prompt = "call to [redacted] about [redacted], [redacted] and [redacted].";
        assert!(stdout.contains(prompt), "{stdout}");
        for secret in [MARKED, VARIABLE, HEADER, ELSEWHERE] {
            assert!(!stdout.contains(secret), "{secret}: {stdout}");
            assert!(!stderr.contains(secret), "{secret}: {stderr}");
        }
    }
    let left = fs::read_dir(recorded.path().join("temporary")).unwrap();
    assert_eq!(left.count(), 0);
}

#[test]
fn program_without_a_session_is_an_error() {
    let recorded = Recorded::new();
    let (_, stderr) = recorded.differs("no session", &[]);
    assert!(
        stderr.contains("opened no session with the CLI"),
        "{stderr}"
    );
    assert!(stderr.contains("inhouse_testkit::Replay"), "{stderr}");
    let error = refused(
        recorded.path(),
        &["replay", "trace.jsonl", "--", "no-such-program"],
    );
    assert!(error.contains("cannot run no-such-program"), "{error}");
}

#[test]
fn second_session_of_a_program_is_a_difference() {
    let recorded = Recorded::new();
    let (stdout, _) = recorded.differs("two sessions", &[]);
    assert!(
        stdout.contains("not in the recording: another session"),
        "{stdout}"
    );
    assert_eq!(recorded.replayed(), recorded.messages);
}

#[test]
fn program_that_writes_nothing_is_an_error() {
    let recorded = Recorded::new();
    let (_, stderr) = recorded.differs("silent", &["--timeout", "1s"]);
    let expected = "the host wrote nothing for 1s: the replay waits for the host to write a prompt (line 3 of the recording)";
    assert!(stderr.contains(expected), "{stderr}");
}

#[test]
fn recording_alone_is_checked() {
    let recorded = Recorded::new();
    let text = printed(recorded.path(), &["replay", "trace.jsonl"]);
    for expected in [
        "turns       1\n",
        "tool calls  2, 2 in the process of the host\n",
        "exit code 0",
        "-- cargo run",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(!text.contains("warning"), "{text}");

    let file = recorded.path().join("trace.jsonl");
    let whole = fs::read_to_string(&file).unwrap();
    fs::write(&file, &whole[..whole.len() - 5]).unwrap();
    let summary = printed(recorded.path(), &["replay", "trace.jsonl", "--json"]);
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(
        (&summary["turns"], &summary["calls_in_host"]),
        (&json!(1), &json!(2))
    );
    let warnings = summary["warnings"].to_string();
    assert!(warnings.contains("is incomplete"), "{warnings}");
}

#[test]
fn file_that_is_no_recording_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(
        directory.path().join("other.jsonl"),
        "{\"type\":\"user\"}\n",
    )
    .unwrap();
    for (arguments, expected) in [
        (
            &["replay", "missing.jsonl"][..],
            "missing.jsonl cannot be read",
        ),
        (&["replay", "other.jsonl"], "Options::record"),
        (&["replay", "other.jsonl", "--lenient"], "COMMAND"),
    ] {
        let error = refused(directory.path(), arguments);
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
}
