//! Permissions for tool calls.

use std::sync::Arc;

use inhouse::Asked;
use inhouse::control::PermissionMode;
use inhouse::permission::{CanUseTool, Decision, Policy};
use serde_json::json;
use tokio::sync::Notify;

use super::{Cli, Outcome, add, adding, allowed, options};

pub(super) async fn exact_rule(cli: Cli) -> Outcome {
    adding(cli, options().allow_tools(["mcp__calc__add"])).await
}

pub(super) async fn wildcard_rule(cli: Cli) -> Outcome {
    adding(cli, options().allow_tools(["mcp__calc__*"])).await
}

pub(super) async fn dont_ask_mode(cli: Cli) -> Outcome {
    adding(cli, options().permission_mode(PermissionMode::DontAsk)).await
}

pub(super) async fn changed_mode(cli: Cli) -> Outcome {
    let scenario = cli.scenario(options()).turn(add()).turn("Done.");
    scenario
        .play(async |client| {
            client
                .control()
                .set_permission_mode(PermissionMode::DontAsk)
                .await?;
            client.send("Go.").await?.finish().await?;
            Ok(())
        })
        .await
}

pub(super) async fn no_handler(cli: Cli) -> Outcome {
    adding(cli, options()).await
}

pub(super) async fn handler_allows(cli: Cli) -> Outcome {
    let options = options().permissions(async |_: Asked<CanUseTool>| Ok(Decision::allow()));
    adding(cli, options).await
}

pub(super) async fn handler_changes_input(cli: Cli) -> Outcome {
    let options = options().permissions(async |_: Asked<CanUseTool>| {
        Ok(Decision::allow().input(json!({"a": 1, "b": 1})))
    });
    adding(cli, options).await
}

pub(super) async fn handler_denies(cli: Cli) -> Outcome {
    let options =
        options().permissions(async |_: Asked<CanUseTool>| Ok(Decision::deny("Not now.")));
    adding(cli, options).await
}

pub(super) async fn handler_denies_and_interrupts(cli: Cli) -> Outcome {
    let complete = Arc::new(Notify::new());
    let asked = Arc::clone(&complete);
    let handler = move |_: Asked<CanUseTool>| {
        let complete = Arc::clone(&asked);
        async move {
            // The CLI asks before the end of the message, which has the token counts.
            complete.notified().await;
            Ok(Decision::deny("Not now.").interrupt())
        }
    };
    let options = options()
        .permissions(handler)
        .include_partial_messages(true);
    let scenario = cli.scenario(options).turn(add());
    scenario
        .play(async |client| {
            let mut turn = client.send("What is 15 + 27?").await?;
            while let Some(message) = turn.next().await {
                if message?.raw().contains("message_stop") {
                    complete.notify_one();
                }
            }
            Ok(())
        })
        .await
}

pub(super) async fn handler_remembers(cli: Cli) -> Outcome {
    let options = options()
        .permissions(async |_: Asked<CanUseTool>| Ok(Decision::allow().remember_suggestions()));
    let scenario = cli.scenario(options).turn(add()).turn(add());
    scenario.turn("Done.").prompt("Twice.").await
}

pub(super) async fn deny_rule(cli: Cli) -> Outcome {
    adding(cli, options().disallow_tools(["mcp__calc__add"])).await
}

pub(super) async fn denied_before_allowed(cli: Cli) -> Outcome {
    let policy = Policy::new().deny("mcp__calc__add");
    adding(cli, allowed().permissions(policy)).await
}
