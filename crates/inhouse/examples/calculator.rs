//! A calculator: four tools, each an async function.
//!
//! `cargo run --example calculator` needs neither the CLI nor an account: it runs against the fake CLI
//! of the test kit. `cargo run --example calculator -- --live` runs against the real one.

#![expect(clippy::print_stdout, reason = "an example prints its output")]

use inhouse::message::Message;
use inhouse::tool::{ToolError, ToolServer};
use inhouse::{MessageStream, Options, query, tool};
use inhouse_testkit::FakeCli;
use serde_json::json;

/// Add two numbers.
#[tool(read_only)]
async fn add(
    /** First number */
    a: f64,
    /** Second number */
    b: f64,
) -> f64 {
    a + b
}

/// Subtract one number from another.
#[tool(read_only)]
async fn subtract(
    /** Minuend */
    a: f64,
    /** Subtrahend */
    b: f64,
) -> f64 {
    a - b
}

/// Multiply two numbers.
#[tool(read_only)]
async fn multiply(
    /** First number */
    a: f64,
    /** Second number */
    b: f64,
) -> f64 {
    a * b
}

/// Divide one number by another.
#[tool(read_only)]
async fn divide(
    /** Dividend */
    a: f64,
    /** Divisor, not zero */
    b: f64,
) -> Result<f64, ToolError> {
    if b == 0.0 {
        return Err(ToolError::new("division by zero: use another divisor"));
    }
    Ok(a / b)
}

const PROMPT: &str = "What is 15 + 27? And what is 1 / 0?";

#[tokio::main]
async fn main() -> inhouse::Result<()> {
    let calculator = ToolServer::new("calc")
        .always_load()
        .tool(add::tool())
        .tool(subtract::tool())
        .tool(multiply::tool())
        .tool(divide::tool());
    let options = Options::new()
        .tool_server(calculator)
        .allow_tools(["mcp__calc"]);
    let question = query(PROMPT).options(options);

    if std::env::args().any(|argument| argument == "--live") {
        return show(question.await?).await;
    }
    println!("(with the fake CLI of the test kit; use -- --live for the real one)");
    let (transport, cli) = FakeCli::new();
    let (shown, ()) = tokio::join!(
        async { show(question.transport(transport).await?).await },
        play(cli)
    );
    shown
}

/// Prints each tool call, its result, the answer, and the number of turns and the cost.
async fn show(mut messages: MessageStream) -> inhouse::Result<()> {
    println!("> {PROMPT}");
    while let Some(message) = messages.next().await {
        match message? {
            Message::Assistant(message) => {
                for call in message.tool_uses() {
                    println!("  {} {}", call.name, call.input);
                }
            }
            Message::User(message) => {
                for result in message.tool_results() {
                    let failed = if result.is_error == Some(true) {
                        " (failed)"
                    } else {
                        ""
                    };
                    println!("  = {}{failed}", result.text());
                }
            }
            Message::Result(result) => {
                println!("{}", result.result.as_deref().unwrap_or_default());
                let turns = result.num_turns.unwrap_or_default();
                let cost = result.total_cost_usd.unwrap_or_default();
                println!("  {turns} turns, ${cost:.4}");
            }
            _ => {}
        }
    }
    Ok(())
}

/// Plays the CLI: prompts, tool calls and the answer of a model.
async fn play(mut cli: FakeCli) {
    cli.accept().await;
    cli.expect_prompt().await;
    cli.state("running").await;
    cli.init().await;
    cli.call_tool("calc", "add", json!({"a": 15, "b": 27}))
        .await;
    cli.call_tool("calc", "divide", json!({"a": 1, "b": 0}))
        .await;
    let answer = "15 + 27 is 42. Nothing can be divided by zero.";
    cli.assistant(answer).await;
    cli.result(answer).await;
    cli.state("idle").await;
}
