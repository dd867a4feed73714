//! Recordings of the real CLI, and their replay.

use inhouse::message::Message;
use inhouse::options::McpServer;
use inhouse::record::{Record, RecordedEvent, Recording};
use inhouse::tool::{Input, Tool, ToolError, ToolServer};
use inhouse::transport::Transport;
use inhouse::{Client, Options};
use inhouse_testkit::{Replay, Turn};
use serde::Deserialize;
use serde_json::json;

use crate::world;

#[derive(Deserialize, schemars::JsonSchema)]
struct Pair {
    a: f64,
    b: f64,
}

/// Adds the calculator of the examples.
fn calculator(options: Options, add: fn(f64, f64) -> f64) -> Options {
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
    let server = ToolServer::new("calc").always_load().tool(add).tool(divide);
    options.tool_server(server).allow_tools(["mcp__calc"])
}

/// Asks the calculator; returns all messages, without the id of the prompt, which the host chooses.
async fn ask(mut client: Client) -> inhouse::Result<Vec<String>> {
    let mut messages = Vec::new();
    let mut prompt = None;
    let mut turn = client.send("What is 15 + 27? And what is 1 / 0?").await?;
    while let Some(message) = turn.next().await {
        let message = message?;
        if let Message::Result(result) = &message {
            prompt = result.user_message_uuid.clone();
        }
        messages.push(message.raw().to_owned());
    }
    drop(turn);
    client.close().await?;
    let prompt = prompt.expect("the result names its prompt");
    let messages = messages
        .iter()
        .map(|line| line.replace(&prompt, "<prompt>"));
    Ok(messages.collect())
}

async fn replay(options: Options, replay: impl Transport) -> inhouse::Result<Vec<String>> {
    ask(Client::connect_with(options, replay).await?).await
}

#[tokio::test]
async fn recorded_calculator_replays_to_the_same_messages() {
    world::pinned(async |world| {
        let model = &world.model;
        model.turn(
            Turn::new()
                .text("Let me see.")
                .tool_use_with_id("toolu_1", "mcp__calc__add", json!({ "a": 15, "b": 27 }))
                .tool_use_with_id("toolu_2", "mcp__calc__divide", json!({ "a": 1, "b": 0 })),
        );
        model.turn("15 + 27 is 42. Nothing can be divided by zero.");
        let path = world.cwd().join("calculator.jsonl");
        let options = || calculator(world.options(), |a, b| a + b);

        let client = world.connect(options().record(&path)).await;
        let live = ask(client).await.unwrap();
        let seen: Vec<String> = model.conversation()[1]
            .tool_results()
            .into_iter()
            .map(|result| result.text)
            .collect();
        assert_eq!(seen, ["42", "division by zero: use another divisor"]);
        model.assert_done();
        let recording = Recording::load(&path).unwrap();
        assert!(recording.header().cli.is_some());
        let exited = recording.entries().iter().any(
            |entry| matches!(entry.event, RecordedEvent::Exit(Some(status)) if status.success()),
        );
        assert!(exited, "{recording:?}");

        let strict = Replay::new(recording.clone());
        let report = strict.report();
        let replayed = replay(options(), strict).await.unwrap();
        assert_eq!(replayed, live);
        report.assert_same();

        let changed = Replay::new(recording);
        let report = changed.report();
        let options = calculator(world.options(), |a, b| a - b);
        replay(options, changed).await.unwrap_err();
        let diff = report.differences()[0].to_string();
        assert!(
            diff.contains("the tool `add` of the server `calc`"),
            "{diff}"
        );
        // The replays have asked no model.
        model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn secrets_of_a_session_are_in_no_byte_of_its_recording() {
    world::pinned(async |world| {
        let (variable, header, marked) = (
            "s3cr3t-of-the-environment",
            "s3cr3t-of-the-header",
            "s3cr3t marked by the user",
        );
        let said =
            format!("You said {marked}; the others are {variable} and {header}, all of them.");
        world.model.turn(Turn::new().text(&said));
        let path = world.cwd().join("secrets.jsonl");
        let server = McpServer::http("http://127.0.0.1:1/mcp")
            .header("Authorization", format!("Bearer {header}"));
        let options = world
            .options()
            .env("DEPLOY_TOKEN", variable)
            .mcp_server("closed", server)
            .include_partial_messages(true)
            .record(Record::file(&path).redact(marked));

        let mut client = world.connect(options).await;
        let prompt = format!("Remember {marked}.");
        let answer = client
            .send(prompt.as_str())
            .await
            .unwrap()
            .text()
            .await
            .unwrap();
        client.close().await.unwrap();

        assert_eq!(answer, said);
        let request = world.next_request().await;
        assert!(request.last_user_text().unwrap().contains(marked));
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("s3cr3t"), "{text}");
        let deltas = text.lines().filter(|line| line.contains("text_delta"));
        assert!(deltas.count() > 0, "{text}");
    })
    .await;
}
