use inhouse::error::ErrorKind;
use inhouse::hook::*;
use inhouse::{Client, Options, query};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::{Value, json};

fn guarded(on_failure: OnFailure) -> Options {
    Options::new().hook(
        Matcher::any().on_failure(on_failure),
        async |_: PreToolUse, _| Ok(HookOutput::deny("no")),
    )
}

/// Connects to a CLI that answers `initialize` like this.
async fn accepted(options: Options, reply: Value) -> Result<(), inhouse::Error> {
    let (transport, mut cli) = FakeCli::new();
    let host = async { Client::connect_with(options, transport).await.map(drop) };
    let cli = async move {
        cli.expect_request("initialize").await.succeed(reply).await;
        cli.expect_end_of_input().await;
    };
    join(host, cli).await.0
}

#[tokio::test(start_paused = true)]
async fn guard_requires_a_cli_that_can_block_on_failure() {
    let confirmed = json!({"hook_on_failure_supported": true, "hooks_applied": true});
    accepted(guarded(OnFailure::Block), confirmed)
        .await
        .unwrap();
    let silent = json!({"hook_on_failure_supported": true});
    accepted(guarded(OnFailure::Block), silent).await.unwrap();

    for (reply, reason) in [
        (json!({}), "too old"),
        (json!({"hook_on_failure_supported": false}), "too old"),
        (
            json!({"hook_on_failure_supported": true, "hooks_applied": false}),
            "did not register",
        ),
    ] {
        let error = accepted(guarded(OnFailure::Block), reply)
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Handshake);
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn hook_that_is_not_a_guard_accepts_any_cli() {
    accepted(guarded(OnFailure::Continue), json!({}))
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn no_prompt_is_sent_before_guards_are_confirmed() {
    let (transport, mut cli) = FakeCli::new();
    let asking = query("Delete everything.")
        .options(guarded(OnFailure::Block))
        .transport(transport);
    let cli = async move {
        // A prompt instead of the end of input would fail the test.
        let initialize = cli.expect_request("initialize").await;
        initialize.succeed(json!({})).await;
        cli.expect_end_of_input().await;
    };
    let (asked, ()) = join(async { asking.await.map(drop) }, cli).await;
    assert_eq!(asked.unwrap_err().kind(), ErrorKind::Handshake);
}
