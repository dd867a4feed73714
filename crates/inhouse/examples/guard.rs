//! Hooks: one denies commands with the word `rm`, another logs every tool call.
//!
//! `cargo run --example guard` needs neither the CLI nor an account: it runs against the fake CLI of
//! the test kit. `cargo run --example guard -- --live` runs against the real one.

#![expect(clippy::print_stdout, reason = "an example prints its output")]

use inhouse::builtin::Bash;
use inhouse::hook::{HookContext, HookOutput, Matcher, OnFailure, PostToolUse, PreToolUse};
use inhouse::{HandlerError, Options, query};
use inhouse_testkit::FakeCli;
use serde_json::{Value, json};

/// Denies commands with `rm`. If this hook fails, `OnFailure::Block` below denies the command, too.
async fn guard(call: PreToolUse, _: HookContext) -> Result<HookOutput<PreToolUse>, HandlerError> {
    let Bash { command, .. } = call.input_as()?;
    if command.split_whitespace().any(|word| word == "rm") {
        println!("  denied: {command}");
        return Ok(HookOutput::deny(
            "deleting is not allowed; list the files instead",
        ));
    }
    Ok(HookOutput::pass())
}

#[tokio::main]
async fn main() -> inhouse::Result<()> {
    let options = Options::new()
        .hook(
            Matcher::tool_of::<Bash>().on_failure(OnFailure::Block),
            guard,
        )
        .hook(Matcher::any(), async |call: PostToolUse, _| {
            println!("  ran: {} {}", call.tool_name, call.tool_input);
            Ok(HookOutput::pass().context("Every call is logged."))
        });
    let question = query("Tidy up the directory.").options(options);

    if std::env::args().any(|argument| argument == "--live") {
        println!("{}", question.await?.text().await?);
        return Ok(());
    }
    println!("(with the fake CLI of the test kit; use -- --live for the real one)");
    let (transport, cli) = FakeCli::new();
    let (answer, ()) = tokio::join!(
        async { question.transport(transport).await?.text().await },
        play(cli)
    );
    println!("{}", answer?);
    Ok(())
}

/// Plays the CLI: two commands and the answer of a model.
async fn play(mut cli: FakeCli) {
    cli.accept().await;
    cli.expect_prompt().await;
    cli.state("running").await;
    for command in ["rm -r build", "ls build"] {
        let input = json!({"command": command});
        let call = json!({"tool_name": "Bash", "tool_input": input, "tool_use_id": "toolu_1"});
        let decision = call_hook(&mut cli, "hook_0", "PreToolUse", &call).await;
        if decision["hookSpecificOutput"]["permissionDecision"] != "deny" {
            let mut done = call;
            done["tool_response"] = json!({"stdout": "main.o"});
            call_hook(&mut cli, "hook_1", "PostToolUse", &done).await;
        }
    }
    cli.turn("I left everything where it was.").await;
}

async fn call_hook(cli: &mut FakeCli, hook: &str, event: &str, members: &Value) -> Value {
    let mut input = members.clone();
    input["hook_event_name"] = json!(event);
    input["session_id"] = json!(cli.session_id());
    input["transcript_path"] = json!("/home/me/transcript.jsonl");
    input["cwd"] = json!("/home/me/project");
    let request = json!({"subtype": "hook_callback", "callback_id": hook, "input": input});
    let id = cli.ask(request).await;
    cli.expect_answer(&id).await.payload()
}
