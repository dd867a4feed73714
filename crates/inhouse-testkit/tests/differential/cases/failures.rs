//! Errors of the API, limits, interrupts and requests.

use std::future::pending;
use std::sync::Arc;

use inhouse::Options;
use inhouse::control::ControlRequest;
use inhouse::tool::{Tool, ToolServer};
use inhouse_testkit::model::Usage;
use inhouse_testkit::{Turn, text};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{Cli, Outcome, add, allowed};

pub(super) async fn final_error(cli: Cli) -> Outcome {
    let error = Turn::error(401).no_retry();
    cli.scenario(Options::new())
        .when(|_| true, error)
        .prompt("Hello")
        .await
}

pub(super) async fn retried_error(cli: Cli) -> Outcome {
    let scenario = cli.scenario(Options::new()).turn(Turn::error(529));
    scenario.turn("Here I am.").prompt("Hello?").await
}

pub(super) async fn no_retries(cli: Cli) -> Outcome {
    let options = Options::new().env("CLAUDE_CODE_MAX_RETRIES", "0");
    let error = Turn::error(500).message("the scripted fire");
    cli.scenario(options)
        .when(|_| true, error)
        .prompt("Hello?")
        .await
}

pub(super) async fn bad_request(cli: Cli) -> Outcome {
    let error = Turn::error(400).message("a planted mistake");
    cli.scenario(Options::new())
        .when(|_| true, error)
        .prompt("Hello?")
        .await
}

pub(super) async fn not_found(cli: Cli) -> Outcome {
    let error = Turn::error(404);
    cli.scenario(Options::new())
        .when(|_| true, error)
        .prompt("Hello?")
        .await
}

pub(super) async fn broken_stream(cli: Cli) -> Outcome {
    // Without tokens: whether the real CLI counts those of a broken answer depends on when it notices the end (2.1.325).
    let half = text("Half a").usage(Usage::new(0, 0)).disconnect();
    let scenario = cli.scenario(Options::new()).turn(half);
    scenario.turn("A whole one.").prompt("Hello?").await
}

pub(super) async fn turn_limit(cli: Cli) -> Outcome {
    cli.scenario(allowed().max_turns(1))
        .turn(add())
        .prompt("Go.")
        .await
}

pub(super) async fn interrupted_text(cli: Cli) -> Outcome {
    let options = Options::new().include_partial_messages(true);
    let scenario = cli
        .scenario(options)
        .turn(text("This will take").pieces(1).stall());
    scenario
        .turn("Back again.")
        .play(async |client| {
            let control = client.control().clone();
            let mut turn = client.send("Count.").await?;
            while let Some(message) = turn.next().await {
                if message?.raw().contains("content_block_delta") {
                    control.interrupt().await?;
                }
            }
            client.send("There?").await?.finish().await?;
            Ok(())
        })
        .await
}

pub(super) async fn interrupted_tool(cli: Cli) -> Outcome {
    let started = Arc::new(Notify::new());
    let running = Arc::clone(&started);
    let wait = async move || {
        running.notify_one();
        pending::<String>().await
    };
    let server = ToolServer::new("s")
        .always_load()
        .tool(Tool::new("wait", "Waits", wait));
    let options = Options::new()
        .tool_server(server)
        .allow_tools(["mcp__s"])
        .include_partial_messages(true);
    let scenario = cli
        .scenario(options)
        .turn(Turn::new().tool_use("mcp__s__wait", json!({})));
    scenario
        .play(async |client| {
            let control = client.control().clone();
            let mut turn = client.send("Wait.").await?;
            while let Some(message) = turn.next().await {
                // The tool starts before the end of the message, which has the token counts.
                if message?.raw().contains("message_stop") {
                    started.notified().await;
                    control.interrupt().await?;
                }
            }
            Ok(())
        })
        .await
}

#[derive(Serialize)]
struct NoSuchRequest {}

impl ControlRequest for NoSuchRequest {
    const SUBTYPE: &'static str = "no_such_request";
    type Reply = Value;
}

pub(super) async fn unsupported_request(cli: Cli) -> Outcome {
    let scenario = cli.scenario(Options::new()).turn("Hello.");
    scenario
        .play(async |client| {
            let refused = client.control().request(NoSuchRequest {}).await;
            assert!(refused.is_err());
            client.send("Hello").await?.finish().await?;
            Ok(())
        })
        .await
}
