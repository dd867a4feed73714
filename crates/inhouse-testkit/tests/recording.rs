//! Recording and replay.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use inhouse::{Client, ErrorKind, Options, transport::Transport};
use inhouse_testkit::{
    FakeCli,
    recording::{Recording, Replay, Side, Step, Tape},
};
use serde_json::{Value, json};

/// The outcome of the agent below.
#[derive(Debug, PartialEq)]
struct Outcome {
    answers: Vec<String>,
    permissions_asked: usize,
}

/// An agent: two prompts, a change of the model, and a permission request.
async fn agent(transport: impl Transport) -> inhouse::Result<Outcome> {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let options =
        Options::new().on_request("can_use_tool", move |request: Value| {
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

async fn recorded() -> (Tape, Outcome) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agent");
    let (transport, cli) = FakeCli::new();
    let recording = Recording::create(&path, transport).unwrap();
    let (outcome, ()) = tokio::join!(agent(recording), play(cli));
    (Tape::load(&path).unwrap(), outcome.unwrap())
}

fn types(tape: &Tape, of: Side) -> Vec<String> {
    tape.lines(of)
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            line["type"].as_str().unwrap().to_owned()
        })
        .collect()
}

#[tokio::test]
async fn both_sides_are_recorded_in_order() {
    let (tape, _) = recorded().await;
    assert_eq!(
        types(&tape, Side::Host),
        [
            "control_request",
            "user",
            "control_response",
            "control_request",
            "user"
        ]
    );
    let first = tape.steps().first();
    assert!(
        matches!(first, Some(Step::Line { by: Side::Host, line }) if line.contains("initialize"))
    );
    assert_eq!(types(&tape, Side::Cli)[0], "control_response");
    assert_eq!(
        tape.steps()[tape.steps().len() - 2..],
        [Step::End(Side::Host), Step::End(Side::Cli)]
    );
}

#[tokio::test]
async fn replay_gives_the_recorded_messages() {
    let (tape, live) = recorded().await;
    assert_eq!(live.permissions_asked, 1);
    let replayed = agent(Replay::new(tape)).await.unwrap();
    assert_eq!(replayed, live);
}

#[tokio::test]
async fn replay_refuses_requests_that_were_not_recorded() {
    let (tape, _) = recorded().await;
    let client = Client::connect_with(Options::new(), Replay::new(tape))
        .await
        .unwrap();
    let refused = client.control().usage().await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Refused);
    assert!(refused.to_string().contains("recording"), "{refused}");
    client.close().await.unwrap();
}

#[tokio::test]
async fn extra_prompt_ends_a_replay_with_an_error() {
    let (tape, _) = recorded().await;
    let until_the_first_result = tape.steps().iter().take_while(
        |step| !matches!(step, Step::Line { by: Side::Host, line } if line.contains("set_model")),
    );
    let tape: Tape = until_the_first_result.cloned().collect();
    let options = Options::new().on_request("can_use_tool", async |_: Value| {
        Ok::<_, String>(json!({ "behavior": "allow", "updatedInput": {} }))
    });
    let mut client = Client::connect_with(options, Replay::new(tape))
        .await
        .unwrap();
    client.send("One").await.unwrap().text().await.unwrap();
    let error = client.send("Two").await.unwrap().text().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Exited);
    let stderr = error.stderr_tail().unwrap_or_default();
    assert!(stderr.contains("the recording has no more"), "{stderr}");
}

#[tokio::test]
async fn host_that_closes_early_ends_a_replay() {
    let (tape, _) = recorded().await;
    let client = Client::connect_with(Options::new(), Replay::new(tape))
        .await
        .unwrap();
    // The recording has two more turns, and waits for prompts that are not sent.
    let closed = tokio::time::timeout(Duration::from_secs(10), client.close()).await;
    assert_eq!(closed.unwrap().unwrap(), None);
}

#[tokio::test]
async fn recordings_of_the_real_cli_play_back() {
    for version in ["2.1.325", "2.1.197"] {
        let path = fixture(version, "two_turns");
        let mut client = Client::connect_with(Options::new(), Replay::load(path).unwrap())
            .await
            .unwrap();
        let first = client.send("What is 15 + 27?").await.unwrap();
        assert_eq!(first.text().await.unwrap(), "It is 42.");
        let second = client.send("And doubled?").await.unwrap();
        assert_eq!(second.text().await.unwrap(), "It is 84.");
        client.close().await.unwrap();
    }
}

#[test]
fn recording_needs_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    let (transport, _cli) = FakeCli::new();
    let error = Recording::create(directory.path().join("no/such"), transport).unwrap_err();
    assert!(error.to_string().contains("no/such.out.jsonl"), "{error}");
}

fn fixture(version: &str, name: &str) -> PathBuf {
    let crates = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    crates
        .join("inhouse-proto/fixtures")
        .join(version)
        .join(name)
}
