use inhouse::builtin::Bash;
use inhouse::hook::*;
use inhouse::{HandlerError, Options};
use inhouse_testkit::FakeCli;
use serde_json::json;

use crate::support::{bash, input, output};

#[tokio::test(start_paused = true)]
async fn event_is_inferred_from_the_handler() {
    let options = Options::new()
        .hook(
            Matcher::tool("Bash"),
            async |_: PreToolUse, _: HookContext| Ok(HookOutput::deny("not here")),
        )
        .hook(Matcher::any(), async |_: PostToolUse, _| {
            Ok(HookOutput::pass().context("remember this"))
        });
    FakeCli::play_cli(options, async |cli| {
        let initialize = cli.launched().initialize().clone();
        assert_eq!(initialize["hooks"]["PreToolUse"][0]["matcher"], "Bash");
        assert!(initialize["hooks"]["PostToolUse"][0]["matcher"].is_null());
        assert_eq!(
            output(cli, "hook_0", bash("ls")).await,
            json!({"hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": "not here",
            }})
        );
        let done = json!({
            "tool_name": "Bash", "tool_input": {}, "tool_response": {}, "tool_use_id": "toolu_1",
        });
        assert_eq!(
            output(cli, "hook_1", input("PostToolUse", done)).await,
            json!({"hookSpecificOutput": {
                "hookEventName": "PostToolUse",
                "additionalContext": "remember this",
            }})
        );
    })
    .await;
}

/// A handler can be a function or a closure with captures.
#[tokio::test(start_paused = true)]
async fn functions_and_closures_are_handlers() {
    async fn stop(event: Stop, _: HookContext) -> Result<HookOutput<Stop>, HandlerError> {
        Ok(match event.stop_hook_active {
            true => HookOutput::pass(),
            false => HookOutput::block("run the tests first"),
        })
    }
    let allowed = ["ls".to_owned(), "pwd".to_owned()];
    let options = Options::new().hook(Matcher::any(), stop).hook(
        Matcher::any(),
        async move |call: PreToolUse, _| {
            let bash: Bash = call.input_as()?;
            Ok(match allowed.contains(&bash.command) {
                true => HookOutput::allow(),
                false => HookOutput::ask("not on the list"),
            })
        },
    );
    FakeCli::play_cli(options, async |cli| {
        let first = output(
            cli,
            "hook_0",
            input("Stop", json!({"stop_hook_active": false})),
        )
        .await;
        assert_eq!(
            first,
            json!({"decision": "block", "reason": "run the tests first"})
        );
        let second = output(
            cli,
            "hook_0",
            input("Stop", json!({"stop_hook_active": true})),
        )
        .await;
        assert_eq!(second, json!({}));
        for (command, decision) in [("ls", "allow"), ("rm", "ask"), ("pwd", "allow")] {
            let output = output(cli, "hook_1", bash(command)).await;
            assert_eq!(output["hookSpecificOutput"]["permissionDecision"], decision);
        }
    })
    .await;
}
