//! The scenarios.

mod failures;
mod hooks;
mod permissions;
mod tools;
mod turns;

use std::future::Future;
use std::pin::Pin;

use inhouse::tool::{Input, Tool, ToolError, ToolServer};
use inhouse::{Options, schemars};
use inhouse_testkit::scenario::ScenarioError;
use inhouse_testkit::{Run, Scenario, Turn};
use serde::Deserialize;
use serde_json::{Value, json};

/// The CLI of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cli {
    Fake,
    Real,
}

/// A scenario that runs with both.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) run: fn(Cli) -> Pin<Box<dyn Future<Output = Outcome>>>,
}

pub(crate) type Outcome = Result<Run, ScenarioError>;

macro_rules! cases {
    ($( $module:ident { $( $name:ident ),+ $(,)? } )+) => {
        pub(crate) const CASES: &[Case] = &[
            $( $( Case {
                name: stringify!($name),
                run: |cli| Box::pin($module::$name(cli)),
            } ),+ ),+
        ];
    };
}

cases! {
    turns {
        one_text, two_prompts, several_text_blocks, thinking, blocks_in_the_prompt, unicode, cached_tokens, system_prompt,
        partial_text, partial_thinking, partial_tool_call, replayed_prompt, rule_for_every_request,
    }
    tools {
        tool, read_only_tool, tool_after_text, tools_in_sequence, two_read_only_tools, two_other_tools, mixed_tools, two_servers,
        tool_error, tool_panic, structured_result, several_contents, empty_result, titled_tool, unknown_tool,
        unknown_tool_of_a_server, invalid_input, server_status, changed_tools,
    }
    permissions {
        exact_rule, wildcard_rule, dont_ask_mode, changed_mode, no_handler, handler_allows, handler_changes_input,
        handler_denies, handler_denies_and_interrupts, handler_remembers, deny_rule, denied_before_allowed,
    }
    hooks {
        hook_allows, hook_denies, hook_asks, hook_changes_input, hook_for_another_tool, hook_adds_context, hook_after_a_tool,
        hook_after_a_failure, hook_for_the_prompt, hook_blocks_the_prompt, hook_at_the_end, hook_continues_the_turn,
        failing_hook, failing_hook_that_blocks, hook_stops_the_turn, hook_blocks_after_a_tool,
    }
    failures {
        final_error, retried_error, no_retries, bad_request, not_found, broken_stream, turn_limit, interrupted_text, interrupted_tool, unsupported_request,
    }
}

impl Cli {
    /// Creates a scenario for this CLI with a model that both know.
    fn scenario(self, options: Options) -> Scenario {
        let scenario = Scenario::new(options.model("claude-sonnet-4-5"));
        match self {
            Self::Fake => scenario,
            Self::Real => scenario.real(),
        }
    }
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Sum {
    a: i64,
    b: i64,
}

/// Returns a server with a tool for each kind of result. The tools are loaded at once, since the fake CLI defers none.
fn server() -> ToolServer {
    let add = async |Input(Sum { a, b })| (a + b).to_string();
    let fail = async || Err::<String, _>(ToolError::new("out of order"));
    ToolServer::new("calc")
        .always_load()
        .tool(Tool::new("add", "Adds two numbers", add))
        .tool(Tool::new("peek", "Reads a number", async || "42").read_only(true))
        .tool(Tool::new("fail", "Fails", fail))
}

fn options() -> Options {
    Options::new().tool_server(server())
}

fn allowed() -> Options {
    options().allow_tools(["mcp__calc"])
}

fn add() -> Turn {
    call("add", json!({"a": 15, "b": 27}))
}

fn call(tool: &str, input: Value) -> Turn {
    Turn::new().tool_use(format!("mcp__calc__{tool}"), input)
}

/// Runs a model that calls `add` once.
async fn adding(cli: Cli, options: Options) -> Outcome {
    cli.scenario(options)
        .turn(add())
        .turn("It is 42.")
        .prompt("What is 15 + 27?")
        .await
}
