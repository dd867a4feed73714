//! Replay of recorded sessions.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use inhouse::{
    Client, Error, ErrorKind, ExitStatus, Options, Result,
    record::{Record, Recording},
    tool::{Input, Tool, ToolServer},
    transport::Transport,
};
use inhouse_testkit::{FakeCli, Replay, recording::Tape, run};
use serde_json::{Value, json};
use tokio::time::Instant;

/// The outcome of the agent below.
#[derive(Debug, PartialEq)]
struct Outcome {
    answers: Vec<String>,
    permissions_asked: usize,
}

/// An agent: two prompts, a change of the model, and a permission request.
async fn agent(options: Options, transport: impl Transport) -> Result<Outcome> {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let options =
        options.on_request("can_use_tool", move |request: Value| {
            counter.fetch_add(1, Ordering::Relaxed);
            async move {
                Ok::<_, String>(json!({ "behavior": "allow", "updatedInput": request["input"] }))
            }
        });
    let mut client = Client::connect_with(options, transport).await?;
    let first = client.send("What is 15 + 27?").await?.text().await?;
    client.control().set_model(Some("opus")).await?;
    let second = client.send("And doubled?").await?.text().await?;
    client.close().await?;
    Ok(Outcome {
        answers: vec![first, second],
        permissions_asked: asked.load(Ordering::Relaxed),
    })
}

/// The CLI's side of the recorded conversation.
async fn play(mut cli: FakeCli) {
    cli.accept().await;
    cli.expect_prompt().await;
    let tool =
        json!({ "subtype": "can_use_tool", "tool_name": "Bash", "input": { "command": "bc" } });
    let id = cli.ask(tool).await;
    cli.expect_answer(&id).await;
    cli.turn("It is 42.").await;
    cli.expect_request("set_model").await.succeed_empty().await;
    cli.expect_prompt().await;
    cli.turn("It is 84.").await;
    cli.expect_end_of_input().await;
}

async fn recorded() -> (Recording, Outcome) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agent.jsonl");
    let options = Options::new().record(&path);
    let host = async |transport| agent(options, transport).await;
    let (outcome, ()) = FakeCli::play_with(host, play).await;
    (Recording::load(&path).unwrap(), outcome)
}

#[tokio::test(start_paused = true)]
async fn replay_gives_the_recorded_outcome() {
    let (recording, live) = recorded().await;
    assert_eq!(live.permissions_asked, 1);
    let replay = Replay::new(recording);
    let report = replay.report();
    assert_eq!(agent(Options::new(), replay).await.unwrap(), live);
    report.assert_same();
}

#[tokio::test(start_paused = true)]
async fn strict_replay_ends_at_an_unrecorded_request() {
    let (recording, _) = recorded().await;
    let replay = Replay::new(recording);
    let report = replay.report();
    let client = Client::connect_with(Options::new(), replay).await.unwrap();
    let error = client.control().usage().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Exited);
    let tail = error.stderr_tail().unwrap_or_default();
    assert!(
        tail.contains("not in the recording: the request `get_usage`"),
        "{tail}"
    );
    assert_eq!(report.differences().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn lenient_replay_refuses_an_unrecorded_request_and_continues() {
    let (recording, _) = recorded().await;
    let replay = Replay::new(recording).lenient();
    let report = replay.report();
    let client = Client::connect_with(Options::new(), replay).await.unwrap();
    let refused = client.control().usage().await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Refused);
    client.close().await.unwrap();
    assert_eq!(report.differences().len(), 2, "{:?}", report.differences());
}

#[tokio::test(start_paused = true)]
async fn another_prompt_ends_a_strict_replay() {
    let (recording, _) = recorded().await;
    let mut client = Client::connect_with(Options::new(), Replay::new(recording))
        .await
        .unwrap();
    let turn = client.send("What is 15 + 28?").await.unwrap();
    let error = turn.text().await.unwrap_err();
    let tail = error.stderr_tail().unwrap_or_default();
    assert!(
        tail.contains("15 + 27") && tail.contains("15 + 28"),
        "{tail}"
    );
}

#[tokio::test(start_paused = true)]
async fn host_that_closes_early_ends_a_replay() {
    let (recording, _) = recorded().await;
    let replay = Replay::new(recording);
    let report = replay.report();
    let client = Client::connect_with(Options::new(), replay).await.unwrap();
    // The recording has two more turns, and waits for prompts that are not sent.
    assert_eq!(client.close().await.unwrap(), None);
    let differences = report.differences();
    assert!(
        differences[0]
            .what
            .contains("ended before it wrote a prompt"),
        "{differences:?}"
    );
    assert!(!report.is_complete());
}

#[tokio::test(start_paused = true)]
async fn exit_status_is_the_recorded_one() {
    let (transport, cli) = FakeCli::new();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("exit.jsonl");
    let host = async {
        let options = Options::new().record(&path);
        let client = Client::connect_with(options, transport).await.unwrap();
        client.close().await.unwrap()
    };
    let play = async {
        let mut cli = cli;
        cli.accept().await;
        cli.expect_end_of_input().await;
        cli.exit(ExitStatus::with_code(7));
    };
    let (status, ()) = tokio::join!(host, play);
    assert_eq!(status, Some(ExitStatus::with_code(7)));
    let client = Client::connect_with(Options::new(), Replay::load(&path).unwrap())
        .await
        .unwrap();
    assert_eq!(client.close().await.unwrap(), status);
}

#[tokio::test(start_paused = true)]
async fn timed_replay_takes_as_long_as_the_session() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("slow.jsonl");
    FakeCli::play(
        Options::new().record(&path),
        async |client| client.send("Begin.").await?.finish().await.map(drop),
        async |cli| {
            cli.expect_prompt().await;
            // The paused clock advances by this time.
            let pause = tokio::time::timeout(Duration::from_secs(90), std::future::pending::<()>());
            pause.await.unwrap_err();
            cli.turn("Done.").await;
        },
    )
    .await;
    for (is_timed, seconds) in [(false, 0), (true, 90)] {
        let replay = Replay::load(&path).unwrap();
        let replay = if is_timed { replay.timed() } else { replay };
        let mut client = Client::connect_with(Options::new(), replay).await.unwrap();
        let start = Instant::now();
        client.send("Begin.").await.unwrap().finish().await.unwrap();
        assert_eq!(start.elapsed().as_secs(), seconds);
        client.close().await.unwrap();
    }
}

#[derive(serde::Deserialize, inhouse::schemars::JsonSchema)]
#[schemars(crate = "inhouse::schemars")]
struct Pair {
    a: f64,
    b: f64,
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
            0.0 => Err(inhouse::tool::ToolError::new(
                "division by zero: use another divisor",
            )),
            _ => Ok(a / b),
        },
    );
    Options::new().tool_server(ToolServer::new("calc").tool(add).tool(divide))
}

const PROMPT: &str = "What is 15 + 27? And what is 1 / 0?";

/// Asks the calculator; returns all messages, without the id of the prompt, which the host chooses.
async fn ask(options: Options, transport: impl Transport) -> Result<Vec<Value>, Error> {
    let mut client = Client::connect_with(options, transport).await?;
    let mut messages = Vec::new();
    let mut turn = client.send(PROMPT).await?;
    while let Some(message) = turn.next().await {
        let mut message: Value = serde_json::from_str(message?.raw()).unwrap();
        for name in ["user_message_uuid", "user_message_uuids"] {
            message.as_object_mut().unwrap().remove(name);
        }
        messages.push(message);
    }
    drop(turn);
    client.close().await?;
    Ok(messages)
}

/// Records the calculator with the fake CLI.
fn record_calculator(path: &Path) -> Vec<Value> {
    let options = calculator(|a, b| a + b).record(path);
    let host = async |transport| ask(options, transport).await;
    let (messages, ()) = run(FakeCli::play_with(host, async |mut cli| {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.state("running").await;
        cli.init().await;
        cli.call_tool("calc", "add", json!({ "a": 15, "b": 27 }))
            .await;
        cli.call_tool("calc", "divide", json!({ "a": 1, "b": 0 }))
            .await;
        let answer = "15 + 27 is 42. Nothing can be divided by zero.";
        cli.assistant(answer).await;
        cli.result(answer).await;
        cli.state("idle").await;
        cli.expect_end_of_input().await;
    }));
    messages
}

#[test]
fn calculator_replays_to_the_same_messages() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("calculator.jsonl");
    let live = record_calculator(&path);
    assert!(live.len() > 3, "{live:?}");
    let replay = Replay::load(&path).unwrap();
    let report = replay.report();
    let replayed = run(ask(calculator(|a, b| a + b), replay)).unwrap();
    assert_eq!(replayed, live);
    report.assert_same();
}

#[test]
fn changed_tool_fails_a_strict_replay_with_a_diff() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("calculator.jsonl");
    record_calculator(&path);
    let replay = Replay::load(&path).unwrap();
    let report = replay.report();
    let error = run(ask(calculator(|a, b| a - b), replay)).unwrap_err();
    let diff = report.differences()[0].to_string();
    assert_eq!(error.stderr_tail(), Some(diff.as_str()));
    assert_eq!(
        diff,
        "line 9 of the recording (0.000 s) differs: the result of the tool `add` of the server `calc`
  called with {\"a\":15,\"b\":27}
  at response.response.mcp_response.result.content[0].text:
    - recorded  \"42\"
    + now       \"-12\""
    );
    let guide = include_str!("../../inhouse/src/guide/testing.md");
    assert!(guide.contains(&diff), "the guide shows another diff");
}

#[test]
fn lenient_replay_reports_a_changed_tool() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("calculator.jsonl");
    let live = record_calculator(&path);
    let replay = Replay::load(&path).unwrap().lenient();
    let report = replay.report();
    let replayed = run(ask(calculator(|a, b| a - b), replay)).unwrap();
    assert_eq!(replayed, live);
    assert_eq!(report.differences().len(), 1);
    assert!(report.is_complete());
}

#[derive(serde::Deserialize, inhouse::schemars::JsonSchema)]
#[schemars(crate = "inhouse::schemars")]
struct Phrase {
    phrase: String,
}

#[test]
fn tool_does_not_run_on_redacted_arguments() {
    let calls = Arc::new(AtomicUsize::new(0));
    let options = |calls: &Arc<AtomicUsize>| {
        let calls = Arc::clone(calls);
        let login = Tool::new(
            "login",
            "Log in",
            async move |Input(Phrase { phrase }): Input<Phrase>| {
                assert_eq!(phrase, "correct horse");
                calls.fetch_add(1, Ordering::Relaxed);
                "welcome"
            },
        );
        Options::new().tool_server(ToolServer::new("site").tool(login))
    };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("login.jsonl");
    let record = Record::file(&path).redact("correct horse");
    run(FakeCli::play(
        options(&calls).record(record),
        async |client| client.send("Log in.").await?.finish().await.map(drop),
        async |cli| {
            cli.expect_prompt().await;
            cli.call_tool("site", "login", json!({ "phrase": "correct horse" }))
                .await;
            cli.turn("Done.").await;
        },
    ));
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    let recorded = std::fs::read_to_string(&path).unwrap();
    let phrase = r#""phrase":"[redacted]""#;
    let with_surrogate = recorded.replace(phrase, &format!(r#"{phrase},"half":"\ud83d""#));
    assert_ne!(with_surrogate, recorded);
    for (text, expected) in [(recorded, "`login`"), (with_surrogate, "cannot be read")] {
        let replay = Replay::new(Recording::parse(&text).unwrap()).lenient();
        let error = run(async {
            let mut client = Client::connect_with(options(&calls), replay).await?;
            client.send("Log in.").await?.finish().await.map(drop)
        })
        .unwrap_err();
        assert_eq!(calls.load(Ordering::Relaxed), 1);
        let tail = error.stderr_tail().unwrap_or_default();
        assert!(
            tail.contains(expected) && tail.contains("redacted"),
            "{tail}"
        );
    }
}

#[test]
fn redacted_result_is_not_equal_to_any_text() {
    let options = |result: &'static str| {
        let login = Tool::new("login", "Log in", async move || result);
        let site = ToolServer::new("site").tool(login);
        Options::new()
            .env("SITE_PASSWORD", "correct horse")
            .tool_server(site)
    };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("login.jsonl");
    run(FakeCli::play(
        options("token=abcdefgh1 for correct horse").record(&path),
        async |client| client.send("Log in.").await?.finish().await.map(drop),
        async |cli| {
            cli.expect_prompt().await;
            cli.call_tool("site", "login", json!({})).await;
            cli.turn("Done.").await;
        },
    ));
    for (result, is_same) in [
        // The value of a variable of the options is known today as well.
        ("token=ijklmnop2 for correct horse", true),
        ("token=none for correct horse", false),
        ("token=ijklmnop2 for nobody", false),
    ] {
        let replay = Replay::load(&path).unwrap().lenient();
        let report = replay.report();
        run(async {
            let mut client = Client::connect_with(options(result), replay).await?;
            client.send("Log in.").await?.finish().await?;
            client.close().await
        })
        .unwrap();
        assert_eq!(report.differences().is_empty(), is_same, "{result}");
    }
}

#[tokio::test]
async fn fixtures_of_the_real_cli_play_back() {
    for version in ["2.1.325", "2.1.197"] {
        let tape = Tape::load(fixture(version, "two_turns")).unwrap();
        // Lenient, because a fixture has other options.
        let replay = Replay::new((&tape).into()).lenient();
        let mut client = Client::connect_with(Options::new(), replay).await.unwrap();
        let first = client.send("What is 15 + 27?").await.unwrap();
        assert_eq!(first.text().await.unwrap(), "It is 42.");
        let second = client.send("And doubled?").await.unwrap();
        assert_eq!(second.text().await.unwrap(), "It is 84.");
        client.close().await.unwrap();
    }
}

#[test]
fn fixture_is_the_same_as_a_recording() {
    let tape = Tape::load(fixture("2.1.325", "two_turns")).unwrap();
    assert_eq!(Tape::from(&Recording::from(&tape)), tape);
}

fn fixture(version: &str, name: &str) -> PathBuf {
    let crates = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    crates
        .join("inhouse-proto/fixtures")
        .join(version)
        .join(name)
}
