//! Hooks of the host.

use inhouse::hook::{
    HookOutput, Matcher, OnFailure, PostToolUse, PostToolUseFailure, PreToolUse, Stop,
    UserPromptSubmit,
};
use inhouse::permission::{CanUseTool, Decision};
use inhouse::{Asked, HandlerError, Options};
use serde_json::json;

use super::{Cli, Outcome, add, adding, allowed, call, options};

pub(super) async fn hook_allows(cli: Cli) -> Outcome {
    let hook = async |_: PreToolUse, _| Ok(HookOutput::allow());
    adding(cli, options().hook(Matcher::any(), hook)).await
}

pub(super) async fn hook_denies(cli: Cli) -> Outcome {
    let hook = async |_: PreToolUse, _| Ok(HookOutput::deny("not here"));
    adding(cli, allowed().hook(Matcher::any(), hook)).await
}

pub(super) async fn hook_asks(cli: Cli) -> Outcome {
    let hook = async |_: PreToolUse, _| Ok(HookOutput::ask("it may be wrong"));
    let options = allowed()
        .hook(Matcher::any(), hook)
        .permissions(async |_: Asked<CanUseTool>| Ok(Decision::allow()));
    adding(cli, options).await
}

pub(super) async fn hook_changes_input(cli: Cli) -> Outcome {
    let hook =
        async |_: PreToolUse, _| Ok(HookOutput::pass().update_input(json!({"a": 1, "b": 1})));
    adding(cli, allowed().hook(Matcher::tool("mcp__calc__add"), hook)).await
}

pub(super) async fn hook_for_another_tool(cli: Cli) -> Outcome {
    let hook = async |_: PreToolUse, _| Ok(HookOutput::deny("not here"));
    adding(cli, allowed().hook(Matcher::tools(["Bash", "Write"]), hook)).await
}

pub(super) async fn hook_adds_context(cli: Cli) -> Outcome {
    let hook = async |_: PreToolUse, _| Ok(HookOutput::pass().context("Numbers are integers."));
    adding(cli, allowed().hook(Matcher::any(), hook)).await
}

pub(super) async fn hook_after_a_tool(cli: Cli) -> Outcome {
    let hook = async |_: PostToolUse, _| Ok(HookOutput::pass().context("Round it."));
    adding(cli, allowed().hook(Matcher::pattern("^mcp__"), hook)).await
}

pub(super) async fn hook_after_a_failure(cli: Cli) -> Outcome {
    let hook = async |_: PostToolUseFailure, _| Ok(HookOutput::pass().context("Do not repeat it."));
    let options = allowed().hook(Matcher::any(), hook);
    let scenario = cli.scenario(options).turn(call("fail", json!({})));
    scenario.turn("It failed.").prompt("Go.").await
}

pub(super) async fn hook_for_the_prompt(cli: Cli) -> Outcome {
    let hook = async |_: UserPromptSubmit, _| Ok(HookOutput::pass().context("Today is Monday."));
    let options = Options::new().hook(Matcher::any(), hook);
    cli.scenario(options)
        .turn("Monday.")
        .prompt("What day is it?")
        .await
}

pub(super) async fn hook_blocks_the_prompt(cli: Cli) -> Outcome {
    let hook = async |_: UserPromptSubmit, _| Ok(HookOutput::block("no questions"));
    let options = Options::new().hook(Matcher::any(), hook);
    cli.scenario(options).prompt("What day is it?").await
}

pub(super) async fn hook_at_the_end(cli: Cli) -> Outcome {
    let hook = async |_: Stop, _| Ok(HookOutput::pass());
    let options = Options::new().hook(Matcher::any(), hook);
    cli.scenario(options).turn("Hello.").prompt("Hello").await
}

pub(super) async fn hook_continues_the_turn(cli: Cli) -> Outcome {
    let hook = async |stop: Stop, _| {
        Ok(match stop.stop_hook_active {
            true => HookOutput::pass(),
            false => HookOutput::block("in French, please"),
        })
    };
    let options = Options::new().hook(Matcher::any(), hook);
    let scenario = cli.scenario(options).turn("Hello.").turn("Bonjour.");
    scenario.prompt("Greet me.").await
}

pub(super) async fn failing_hook(cli: Cli) -> Outcome {
    let hook =
        async |_: PreToolUse, _| Err::<HookOutput<_>, _>(HandlerError::new("a planted error"));
    adding(cli, allowed().hook(Matcher::any(), hook)).await
}

pub(super) async fn failing_hook_that_blocks(cli: Cli) -> Outcome {
    let hook =
        async |_: PreToolUse, _| Err::<HookOutput<_>, _>(HandlerError::new("a planted error"));
    let matcher = Matcher::any().on_failure(OnFailure::Block);
    adding(cli, allowed().hook(matcher, hook)).await
}

pub(super) async fn hook_stops_the_turn(cli: Cli) -> Outcome {
    let hook = async |_: PostToolUse, _| Ok(HookOutput::stop("that is enough"));
    let options = allowed().hook(Matcher::any(), hook);
    cli.scenario(options)
        .turn(add())
        .prompt("What is 15 + 27?")
        .await
}

pub(super) async fn hook_blocks_after_a_tool(cli: Cli) -> Outcome {
    let hook = async |_: PostToolUse, _| Ok(HookOutput::block("do not trust it"));
    adding(cli, allowed().hook(Matcher::any(), hook)).await
}
