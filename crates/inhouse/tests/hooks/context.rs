use inhouse::Options;
use inhouse::hook::capability::{AddsContext, Passes};
use inhouse::hook::*;
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::HostAnswer;
use serde_json::{Value, json};

use crate::support::{bash, call, input, output};

/// Returns the tool use id of its context.
fn naming<E: AddsContext + Passes>(context: &HookContext) -> HookOutput<E> {
    HookOutput::pass().context(format!("{:?}", context.tool_use_id()))
}

#[tokio::test(start_paused = true)]
async fn only_tool_events_have_a_tool_use_id() {
    let options = Options::new()
        .hook(Matcher::any(), async |_: PreToolUse, cx: HookContext| {
            Ok(naming(&cx))
        })
        .hook(Matcher::any(), async |_: Stop, cx: HookContext| {
            Ok(naming(&cx))
        })
        .raw_hook("PostToolUse", Matcher::any(), async |_, cx: HookContext| {
            Ok(json!({"systemMessage": cx.tool_use_id()}))
        });
    FakeCli::play_cli(options, async |cli| {
        let context = |output: Value| output["hookSpecificOutput"]["additionalContext"].clone();
        let about_a_call = output(cli, "hook_0", bash("ls")).await;
        assert_eq!(context(about_a_call), r#"Some("toolu_1")"#);
        let made_up = output(
            cli,
            "hook_1",
            input("Stop", json!({"stop_hook_active": false})),
        )
        .await;
        assert_eq!(context(made_up), "None");
        let raw = output(cli, "hook_2", json!({})).await;
        assert_eq!(raw, json!({"systemMessage": "toolu_1"}));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn hook_can_control_its_session() {
    let options = Options::new().hook(Matcher::any(), async |_: Stop, cx: HookContext| {
        let control = cx.session().control().expect("the session is alive");
        control.set_model(Some("opus")).await?;
        Ok(HookOutput::block("go on with a stronger model"))
    });
    FakeCli::play_cli(options, async |cli| {
        let id = call(
            cli,
            "hook_0",
            input("Stop", json!({"stop_hook_active": false})),
        )
        .await;
        let request = cli.expect_request("set_model").await;
        assert_eq!(request.body()["model"], "opus");
        request.succeed_empty().await;
        let answer = cli.expect_answer(&id).await;
        assert!(matches!(answer, HostAnswer::Success(output) if output["decision"] == "block"));
    })
    .await;
}
