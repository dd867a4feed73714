//! Checks that the CLI can call a tool in this process, and that a panic stays in its tool.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use inhouse::query;
use inhouse::tool::{Tool, ToolServer};
use inhouse_testkit::model::ToolResult;
use inhouse_testkit::{RealCli, ScriptedModel, Turn};
use serde_json::json;
use tokio::time::timeout;

use super::Check;

const CALL: &str = "Tool call";
const PANIC: &str = "Tool that panics";

const DEADLINE: Duration = Duration::from_secs(120);

const REMEDY: &str = "The CLI and inhouse do not understand each other. Update both; if that does not help, report it with the output of \
    `inhouse doctor --json`";

const OWN_PANIC: &str = "If a tool of yours panics, Claude reads the same text. The message of the panic and its place in your code are on the \
    stderr of your program; set RUST_BACKTRACE=1 to see what led there. For a failure that Claude should know, return a ToolError instead";

/// Calls two tools with the CLI in isolation and a scripted model; one of them panics.
pub(super) async fn check(cli: &Path) -> Vec<Check> {
    // The panic is expected, so its message would only confuse.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let results = timeout(DEADLINE, call(cli)).await;
    std::panic::set_hook(hook);
    let results = match results {
        Ok(Ok(results)) => results,
        Ok(Err(error)) => return vec![Check::failed(CALL, format!("{error:#}"), REMEDY)],
        Err(_) => {
            return vec![Check::failed(
                CALL,
                "the call did not end in two minutes",
                REMEDY,
            )];
        }
    };
    let mut checks = Vec::new();
    let [answer, panic] = &results;
    checks.push(if !answer.is_error && answer.text == "pong" {
        Check::passed(
            CALL,
            "the CLI called a tool in this process, and the model received its result",
        )
    } else {
        Check::failed(
            CALL,
            format!("the model received {:?}", answer.text),
            REMEDY,
        )
    });
    checks.push(if panic.is_error {
        let detail = format!(
            "the session continued, and the model received an error: {}\n{OWN_PANIC}",
            // The CLI adds advice about the schema of the tool (2.1.325).
            panic.text.lines().next().unwrap_or_default()
        );
        Check::passed(PANIC, detail)
    } else {
        Check::failed(
            PANIC,
            format!("the model received {:?}", panic.text),
            REMEDY,
        )
    });
    checks
}

/// Returns what the model received for each call.
async fn call(cli: &Path) -> Result<[ToolResult; 2]> {
    let server = ToolServer::new("doctor")
        .tool(Tool::new("ping", "Answers pong", async || "pong"))
        .tool(Tool::new("panic", "Panics", async || -> &'static str {
            panic!("this tool panics to see what happens")
        }));
    let model = ScriptedModel::start().await?;
    for (id, tool) in [("toolu_1", "ping"), ("toolu_2", "panic")] {
        let name = format!("mcp__doctor__{tool}");
        model.turn(Turn::new().tool_use_with_id(id, name, json!({})));
    }
    model.turn("Done.");
    let isolation = RealCli::at(cli).isolated(&model)?;
    let mut options = isolation
        .options()
        .tool_server(server)
        .allow_tools(["mcp__doctor"]);
    // A CLI that is a script finds its runtime there.
    if let Some(path) = std::env::var_os("PATH") {
        options = options.env("PATH", path);
    }
    let answer = query("Call the tools.").options(options).await?;
    answer.text().await?;
    let requests = model.conversation();
    let last = requests
        .last()
        .context("the CLI sent no request to the model")?;
    let results = last.tool_results();
    ensure!(
        results.len() == 2,
        "the model received {} of 2 results",
        results.len()
    );
    let [answer, panic] = results.try_into().expect("there are two");
    Ok([answer, panic])
}
