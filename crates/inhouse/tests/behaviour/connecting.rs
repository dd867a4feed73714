use std::error::Error as _;
use std::io;

use inhouse::control::PermissionMode;
use inhouse::hook::{HookContext, HookOutput, Matcher, PreToolUse};
use inhouse::launch::Launch;
use inhouse::options::{SandboxSettings, Skills};
use inhouse::permission::{CanUseTool, Decision};
use inhouse::transport::{Connection, Transport};
use inhouse::{Asked, Client, ErrorKind, ExitStatus, Options, Result};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::support::{connect, connect_with, failed, seconds, settle, settled, timed};

#[tokio::test(start_paused = true)]
async fn initialize_is_the_first_line() {
    let (transport, mut cli) = FakeCli::new();
    let host = async { connect(transport).await.close().await };
    let cli = async move {
        assert_eq!(cli.accept().await["subtype"], "initialize");
        cli.expect_end_of_input().await;
    };
    let (exit, ()) = join(host, cli).await;
    assert_eq!(exit.unwrap(), Some(ExitStatus::with_code(0)));
}

#[tokio::test(start_paused = true)]
async fn initialize_reply_is_kept() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = connect(transport).await;
        let version = client
            .control()
            .initialization()
            .claude_code_version
            .clone();
        assert_eq!(version.as_deref(), Some("2.1.325"));
    };
    let cli = async move {
        cli.accept().await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn changed_commands_replace_those_of_the_initialize_reply() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        let before = client.control().initialization();
        settled(client.control()).await;
        client.messages().next().await.unwrap().unwrap();
        let after = client.control().initialization();
        assert_ne!(before.commands, after.commands);
        let commands = after.commands.as_deref().unwrap();
        assert_eq!(commands.len(), 1);
        assert_eq!(commands[0].name, "deploy");
        assert_eq!(before.claude_code_version, after.claude_code_version);
    };
    let cli = async move {
        cli.accept().await;
        settle(&mut cli).await;
        cli.send(json!({
            "type": "system", "subtype": "commands_changed", "session_id": "s", "uuid": "u",
            "commands": [{"name": "deploy", "description": "Deploys", "argumentHint": ""}],
        }))
        .await;
        cli.expect_end_of_input().await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn connect_timeout_names_the_last_step_of_the_start() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let error = failed(Client::connect_with(Options::new(), transport).await);
        assert!(error.is_timeout());
        let text = error.to_string();
        assert!(
            text.ends_with("the last step of its start was `load_plugins`"),
            "{text}"
        );
    };
    let cli = async move {
        let _request = cli.expect_request("initialize").await;
        for mark in ["read_settings", "load_plugins"] {
            cli.send(json!({"type": "keep_alive", "startup_mark": mark}))
                .await;
        }
        cli.send(json!({"type": "keep_alive"})).await;
        cli.ignore("control_cancel_request");
        cli.set_deadline(std::time::Duration::from_secs(120));
        cli.expect_end_of_input().await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn requests_are_answered_before_initialize_completes() {
    let (transport, mut cli) = FakeCli::new();
    let options = Options::new().on_request("ping", async |request: Value| {
        Ok::<_, io::Error>(json!({"echo": request["word"]}))
    });
    let host = async {
        connect_with(options, transport).await;
    };
    let cli = async move {
        let initialize = cli.expect_request("initialize").await;
        let id = cli.ask(json!({"subtype": "ping", "word": "early"})).await;
        let answer = cli.expect_answer(&id).await.payload();
        assert_eq!(answer, json!({"echo": "early"}));
        initialize.succeed_empty().await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn requests_pending_at_connect_are_served() {
    let (transport, mut cli) = FakeCli::new();
    let options = Options::new().on_request("can_use_tool", async |request: Value| {
        Ok::<_, io::Error>(json!({"behavior": "deny", "message": request["tool_name"]}))
    });
    let host = async {
        connect_with(options, transport)
            .await
            .close()
            .await
            .unwrap();
    };
    let cli = async move {
        let initialize = cli.expect_request("initialize").await;
        let open = json!({
            "type": "control_request",
            "request_id": "old-1",
            "request": {"subtype": "can_use_tool", "tool_name": "Bash", "input": {}},
        });
        cli.send(json!({"type": "control_response", "response": {
            "subtype": "success",
            "request_id": initialize.id(),
            "response": {},
            "pending_permission_requests": [open],
        }}))
        .await;
        let answer = cli.expect_answer("old-1").await.payload();
        assert_eq!(answer["message"], "Bash");
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn refused_session_is_a_handshake_error_with_the_reason() {
    let (transport, mut cli) = FakeCli::new();
    let host = async { failed(Client::connect_with(Options::new(), transport).await) };
    let cli = async move {
        let initialize = cli.expect_request("initialize").await;
        initialize
            .refuse("plugin `x` is not signed", Some("bad_plugin"))
            .await;
        cli.expect_end_of_input().await;
    };
    let (error, ()) = join(host, cli).await;
    assert_eq!(error.kind(), ErrorKind::Handshake);
    // The CLI had the grace period to exit by itself.
    assert_eq!(error.exit_status(), Some(ExitStatus::with_code(0)));
    let reason = error.source().expect("a refusal").to_string();
    assert!(reason.contains("plugin `x` is not signed"), "{reason}");
}

#[tokio::test(start_paused = true)]
async fn promise_05_cli_that_does_not_answer_is_terminated_at_the_deadline() {
    let (transport, mut cli) = FakeCli::new();
    let options = Options::new().connect_timeout(seconds(7));
    let host = timed(Client::connect_with(options, transport));
    let cli = async move {
        cli.ignore_terminate();
        let _never_answered = cli.expect_request("initialize").await;
        cli.expect_cancel().await;
        let start = Instant::now();
        cli.expect_end_of_input().await;
        assert_eq!(start.elapsed(), seconds(0));
        cli.expect_terminate().await;
        assert_eq!(start.elapsed(), seconds(1));
        cli.expect_kill().await;
        assert_eq!(start.elapsed(), seconds(2));
    };
    let ((outcome, took), ()) = join(host, cli).await;
    let error = failed(outcome);
    assert!(error.is_timeout());
    assert!(error.to_string().contains("connect_timeout"), "{error}");
    assert_eq!(took, seconds(7 + 2));
}

#[tokio::test(start_paused = true)]
async fn promise_04_cli_that_exits_at_start_is_reported_at_once() {
    let (transport, mut cli) = FakeCli::new();
    let host = timed(Client::connect_with(Options::new(), transport));
    let cli = async move {
        let _never_answered = cli.expect_request("initialize").await;
        cli.stderr("error: unknown option --frobnicate\n");
        cli.exit(ExitStatus::with_code(3));
    };
    let ((outcome, took), ()) = join(host, cli).await;
    let error = failed(outcome);
    assert_eq!(error.kind(), ErrorKind::Exited);
    assert_eq!(error.exit_status(), Some(ExitStatus::with_code(3)));
    assert_eq!(
        error.stderr_tail(),
        Some("error: unknown option --frobnicate")
    );
    assert!(error.to_string().contains("unknown option"), "{error}");
    assert_eq!(took, seconds(0));
}

#[tokio::test(start_paused = true)]
async fn promise_04_cli_that_exits_before_reading_is_reported_at_once() {
    let (transport, cli) = FakeCli::new();
    cli.exit(ExitStatus::with_signal(9));
    let (outcome, took) = timed(Client::connect_with(Options::new(), transport)).await;
    let error = failed(outcome);
    assert_eq!(error.kind(), ErrorKind::Exited);
    assert_eq!(error.exit_status(), Some(ExitStatus::with_signal(9)));
    assert_eq!(took, seconds(0));
}

#[tokio::test(start_paused = true)]
async fn promise_05_dropped_connect_future_kills_the_cli() {
    let (transport, mut cli) = FakeCli::new();
    let (asked, cli_was_asked) = oneshot::channel();
    let host = async {
        tokio::select! {
            _ = Client::connect_with(Options::new(), transport) => panic!("the session must not open"),
            asked = cli_was_asked => asked.unwrap(),
        }
    };
    let cli = async move {
        let _never_answered = cli.expect_request("initialize").await;
        asked.send(()).unwrap();
        let ((), took) = timed(cli.expect_kill()).await;
        assert_eq!(took, seconds(0));
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn unconfirmed_managed_settings_end_the_session() {
    // Settings too large for an argument are sent in `initialize`, and confirmed there.
    let settings = json!({"companyAnnouncements": ["x".repeat(200_000)]});
    for (reply, accepted) in [
        (json!({}), false),
        (json!({"managed_settings_applied": false}), false),
        (json!({"managed_settings_applied": true}), true),
    ] {
        let (transport, mut cli) = FakeCli::new();
        let options = Options::new().managed_settings(settings.clone());
        let host = async { Client::connect_with(options, transport).await.err() };
        let cli = async move {
            let initialize = cli.expect_request("initialize").await;
            assert!(initialize.body()["managedSettings"].is_object());
            initialize.succeed(reply).await;
            cli.expect_end_of_input().await;
        };
        let (error, ()) = join(host, cli).await;
        let kind = error.map(|error| error.kind());
        assert_eq!(kind, (!accepted).then_some(ErrorKind::Handshake));
    }
}

#[tokio::test(start_paused = true)]
async fn transport_that_never_opens_times_out() {
    struct Closed;

    impl Transport for Closed {
        async fn open(self, _: &Launch) -> Result<Connection> {
            std::future::pending().await
        }
    }

    let options = Options::new().connect_timeout(seconds(9));
    let connecting = timed(Client::connect_with(options, Closed));
    let ((outcome, took), ()) = join(connecting, async {}).await;
    assert!(failed(outcome).is_timeout());
    assert_eq!(took, seconds(9));
}

#[tokio::test(start_paused = true)]
async fn no_prompt_is_sent_before_managed_settings_are_confirmed() {
    let settings = json!({"companyAnnouncements": ["x".repeat(200_000)]});
    let (transport, mut cli) = FakeCli::new();
    let options = Options::new().managed_settings(settings);
    let host = async {
        let query = inhouse::query("hi").options(options).transport(transport);
        failed(query.await)
    };
    let cli = async move {
        let initialize = cli.expect_request("initialize").await;
        initialize.succeed(json!({})).await;
        cli.expect_end_of_input().await;
        cli.transcript()
    };
    let (error, transcript) = join(host, cli).await;
    assert_eq!(error.kind(), ErrorKind::Handshake);
    assert!(!transcript.contains(r#""type":"user""#), "{transcript}");
}

#[tokio::test(start_paused = true)]
async fn promise_21_rejected_session_error_has_the_stderr_tail() {
    let (transport, mut cli) = FakeCli::new();
    let host = async { failed(Client::connect_with(Options::new(), transport).await) };
    let cli = async move {
        let initialize = cli.expect_request("initialize").await;
        cli.stderr("the licence has expired\n");
        initialize.refuse("not today", None).await;
        cli.expect_end_of_input().await;
    };
    let (error, ()) = join(host, cli).await;
    assert_eq!(error.kind(), ErrorKind::Handshake);
    let tail = error.stderr_tail().expect("the output is kept");
    assert!(tail.contains("the licence has expired"), "{tail}");
}

/// Options that restrict the session or register a handler.
fn restrictions() -> Vec<(&'static str, Options)> {
    let options = Options::new;
    let deny = async |_: Asked<CanUseTool>| Ok(Decision::deny("no"));
    let hook = async |_: PreToolUse, _: HookContext| Ok(HookOutput::deny("no"));
    vec![
        ("permissions", options().permissions(deny)),
        ("hook", options().hook(Matcher::any(), hook)),
        (
            "on_request",
            options().on_request("ping", async |_: Value| Ok::<_, io::Error>(json!({}))),
        ),
        (
            "permission_mode",
            options().permission_mode(PermissionMode::Plan),
        ),
        ("tools", options().tools(["Read"])),
        ("disallow_tools", options().disallow_tools(["Bash"])),
        ("sandbox", options().sandbox(SandboxSettings::default())),
        ("settings", options().settings(json!({"a": 1}))),
        (
            "managed_settings",
            options().managed_settings(json!({"a": 1})),
        ),
        ("skills", options().skills(Skills::none())),
    ]
}

#[tokio::test(start_paused = true)]
async fn restricted_query_sends_no_prompt_before_initialize_is_confirmed() {
    for (name, options) in restrictions() {
        let (transport, mut cli) = FakeCli::new();
        let query = inhouse::query("hi").options(options).transport(transport);
        let host = async { failed(query.await) };
        let cli = async move {
            let initialize = cli.expect_request("initialize").await;
            initialize.refuse("not today", None).await;
            // Fails if a prompt or an interrupt comes instead.
            cli.expect_end_of_input().await;
        };
        let (error, ()) = join(host, cli).await;
        assert_eq!(error.kind(), ErrorKind::Handshake, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn unrestricted_query_sends_its_prompt_with_initialize() {
    let (transport, mut cli) = FakeCli::new();
    let options = Options::new().model("opus").allow_tools(["Read"]);
    let host = async {
        let query = inhouse::query("hi").options(options).transport(transport);
        query.await.unwrap().text().await.unwrap()
    };
    let cli = async move {
        let initialize = cli.expect_request("initialize").await;
        cli.expect_prompt().await;
        initialize.succeed_empty().await;
        cli.turn("hello").await;
        cli.expect_end_of_input().await;
    };
    assert_eq!(join(host, cli).await.0, "hello");
}

#[tokio::test(start_paused = true)]
async fn query_whose_hooks_are_not_registered_fails() {
    let (transport, mut cli) = FakeCli::new();
    let hook = async |_: PreToolUse, _: HookContext| Ok(HookOutput::deny("no"));
    let options = Options::new().hook(Matcher::any(), hook);
    let query = inhouse::query("hi").options(options).transport(transport);
    let host = async { failed(query.await) };
    let cli = async move {
        let initialize = cli.expect_request("initialize").await;
        initialize.succeed(json!({"hooks_applied": false})).await;
        cli.expect_end_of_input().await;
    };
    let (error, ()) = join(host, cli).await;
    assert_eq!(error.kind(), ErrorKind::Handshake);
}
