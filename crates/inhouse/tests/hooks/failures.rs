use inhouse::hook::*;
use inhouse::{HandlerError, Options};
use inhouse_testkit::FakeCli;
use serde_json::{Value, json};

use crate::support::{bash, failure, input, output};

#[tokio::test(start_paused = true)]
async fn error_is_sent_with_its_sources() {
    let options = Options::new()
        .hook(Matcher::any(), async |_: PreToolUse, _| {
            std::fs::read_to_string("/home/me/no such file")?;
            Ok(HookOutput::pass())
        })
        .hook(Matcher::any(), async |_: PreToolUse, _| {
            Err(HandlerError::new("the list of rules is empty"))
        });
    FakeCli::play_cli(options, async |cli| {
        let error = failure(cli, "hook_0", bash("ls")).await;
        assert!(
            error.starts_with("the hook for PreToolUse failed: "),
            "{error}"
        );
        assert!(error.contains("No such file"), "{error}");
        let error = failure(cli, "hook_1", bash("ls")).await;
        assert!(error.ends_with("the list of rules is empty"), "{error}");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn panic_is_an_error_and_the_session_survives() {
    let options = Options::new().hook(Matcher::any(), async |call: PreToolUse, _| {
        assert_ne!(call.tool_input["command"], "panic", "as requested");
        Ok(HookOutput::allow())
    });
    FakeCli::play_cli(options, async |cli| {
        let error = failure(cli, "hook_0", bash("panic")).await;
        assert_eq!(error, "the hook for PreToolUse panicked");
        let output = output(cli, "hook_0", bash("ls")).await;
        assert_eq!(output["hookSpecificOutput"]["permissionDecision"], "allow");
    })
    .await;
}

/// A guard that cannot decode its event must not pass.
#[tokio::test(start_paused = true)]
async fn undecodable_event_is_an_error() {
    let options = Options::new().hook(Matcher::any(), async |_: PreToolUse, _| {
        Ok(HookOutput::allow())
    });
    FakeCli::play_cli(options, async |cli| {
        let nameless = input(
            "PreToolUse",
            json!({"tool_input": {}, "tool_use_id": "toolu_1"}),
        );
        let error = failure(cli, "hook_0", nameless).await;
        assert!(error.contains("cannot read its event"), "{error}");
        assert!(error.contains("tool_name"), "{error}");
        let error = failure(cli, "hook_0", Value::Null).await;
        assert!(error.contains("cannot read its event"), "{error}");
    })
    .await;
}

/// The CLI would ignore the whole output, including the denial.
#[tokio::test(start_paused = true)]
async fn invalid_output_is_an_error() {
    let options = Options::new().hook(Matcher::any(), async |_: PreToolUse, _| {
        Ok(HookOutput::deny("no").update_input(json!(["not", "an", "object"])))
    });
    FakeCli::play_cli(options, async |cli| {
        let error = failure(cli, "hook_0", bash("ls")).await;
        assert!(error.contains("not a JSON object"), "{error}");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn unknown_callback_id_is_an_error() {
    let options = Options::new().hook(Matcher::any(), async |_: Stop, _| Ok(HookOutput::pass()));
    FakeCli::play_cli(options, async |cli| {
        for id in ["hook_1", "hook_", "hook_-1", "other"] {
            let error = failure(cli, id, bash("ls")).await;
            assert!(
                error.contains(&format!("no hook has the id {id}")),
                "{error}"
            );
        }
    })
    .await;
}
