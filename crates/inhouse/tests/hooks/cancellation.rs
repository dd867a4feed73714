use std::future::pending;
use std::pin::pin;

use inhouse::hook::*;
use inhouse::{Client, Options};
use inhouse_testkit::FakeCli;
use serde_json::json;
use tokio::sync::mpsc;

use crate::support::{bash, call, output};

/// Reports that it was dropped.
struct ReportOnDrop(mpsc::UnboundedSender<&'static str>);

impl Drop for ReportOnDrop {
    fn drop(&mut self) {
        // The receiver may be gone at the end of a test.
        let _ = self.0.send("dropped");
    }
}

/// A hook that never answers for `rm`, and reports its drop and the cancellation that a spawned task sees.
fn endless() -> (Options, mpsc::UnboundedReceiver<&'static str>) {
    let (sender, events) = mpsc::unbounded_channel();
    let options = Options::new().hook(
        Matcher::any(),
        move |call: PreToolUse, context: HookContext| {
            let sender = sender.clone();
            async move {
                if call.tool_input["command"] != "rm" {
                    return Ok(HookOutput::allow());
                }
                sender.send("began").unwrap();
                let (cancelled, elsewhere) = (context.cancelled().clone(), sender.clone());
                tokio::spawn(async move {
                    cancelled.wait().await;
                    elsewhere.send("cancelled").unwrap();
                });
                let _until_dropped = ReportOnDrop(sender);
                pending().await
            }
        },
    );
    (options, events)
}

#[tokio::test(start_paused = true)]
async fn cancelled_hook_is_dropped_and_gets_no_response() {
    let (options, mut events) = endless();
    FakeCli::play_cli(options, async |cli| {
        let id = call(cli, "hook_0", bash("rm")).await;
        assert_eq!(events.recv().await, Some("began"));
        cli.cancel(&id).await;
        let mut became = [events.recv().await, events.recv().await];
        became.sort();
        assert_eq!(became, [Some("cancelled"), Some("dropped")]);
        // The next line is the response to this: the other got none.
        let next = output(cli, "hook_0", bash("ls")).await;
        assert_eq!(
            next["hookSpecificOutput"],
            json!({"hookEventName": "PreToolUse", "permissionDecision": "allow"})
        );
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn end_of_the_session_drops_its_hooks() {
    let (options, mut events) = endless();
    FakeCli::play_cli(options, async |cli| {
        call(cli, "hook_0", bash("rm")).await;
        assert_eq!(events.recv().await, Some("began"));
    })
    .await;
    let mut became = [events.recv().await, events.recv().await];
    became.sort();
    assert_eq!(became, [Some("cancelled"), Some("dropped")]);
}

#[tokio::test(start_paused = true)]
async fn hook_dropped_at_the_end_sends_no_response() {
    let (options, mut events) = endless();
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = Client::connect_with(options, transport).await.unwrap();
        // More than fits into the pipe: later lines wait until the CLI reads.
        let control = client.control().clone();
        let mut sending = pin!(control.send("x".repeat(4 << 20)));
        tokio::select! {
            biased;
            sent = &mut sending => panic!("{sent:?}, although the CLI does not read"),
            began = events.recv() => assert_eq!(began, Some("began")),
        }
        let (closed, sent) = tokio::join!(client.close(), sending);
        closed.unwrap();
        sent.unwrap();
    };
    let cli = async move {
        cli.accept().await;
        call(&mut cli, "hook_0", bash("rm")).await;
        cli.expect_prompt().await;
        // A response to the hook would fail this.
        drop(cli.expect_request("interrupt").await);
        cli.expect_end_of_input().await;
    };
    tokio::join!(host, cli);
}
