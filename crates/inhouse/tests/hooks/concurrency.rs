use std::sync::Arc;

use inhouse::Options;
use inhouse::hook::*;
use inhouse_testkit::FakeCli;
use serde_json::json;
use tokio::sync::Barrier;

use crate::support::{bash, call};

/// Each of the two ends only after the other has started.
#[tokio::test(start_paused = true)]
async fn hooks_run_concurrently() {
    let both = Arc::new(Barrier::new(2));
    let meet = move |_: PreToolUse, _: HookContext| {
        let both = Arc::clone(&both);
        async move {
            both.wait().await;
            Ok(HookOutput::pass())
        }
    };
    let options = Options::new()
        .hook(Matcher::tool("Bash"), meet.clone())
        .hook(Matcher::any(), meet);
    FakeCli::play_cli(options, async |cli| {
        let first = call(cli, "hook_0", bash("ls")).await;
        let second = call(cli, "hook_1", bash("ls")).await;
        let mut answered = [
            cli.expect_any_answer().await.0,
            cli.expect_any_answer().await.0,
        ];
        let mut asked = [first, second];
        answered.sort();
        asked.sort();
        assert_eq!(answered, asked);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn responses_of_one_hook_match_their_requests() {
    let turns = Arc::new(Barrier::new(5));
    let options = Options::new().hook(Matcher::any(), move |event: PreToolUse, _: HookContext| {
        let turns = Arc::clone(&turns);
        async move {
            turns.wait().await;
            Ok(HookOutput::pass().context(event.tool_input["command"].to_string()))
        }
    });
    FakeCli::play_cli(options, async |cli| {
        let mut asked = Vec::new();
        for number in 0..5 {
            let command = format!("echo {number}");
            let id = call(cli, "hook_0", bash(&command)).await;
            asked.push((id, command));
        }
        for _ in 0..5 {
            let (id, answer) = cli.expect_any_answer().await;
            let (_, command) = asked.iter().find(|(asked, _)| *asked == id).unwrap();
            assert_eq!(
                answer.payload()["hookSpecificOutput"]["additionalContext"],
                json!(command).to_string()
            );
        }
    })
    .await;
}
