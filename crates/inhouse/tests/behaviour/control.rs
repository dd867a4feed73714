//! Control requests of the host.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use inhouse::control::outgoing::McpConnection;
use inhouse::control::{Control, ControlRequest, Empty, PermissionMode};
use inhouse::{ErrorKind, ExitStatus, Options};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::support::{connect, failed, seconds, settle, settled, timed};

/// A request type that inhouse does not define.
#[derive(Serialize)]
struct GetPlan {
    depth: u32,
}

impl ControlRequest for GetPlan {
    const SUBTYPE: &'static str = "get_plan";
    type Reply = Value;
}

/// A request with a typed reply.
#[derive(Serialize)]
struct CountSteps {}

impl ControlRequest for CountSteps {
    const SUBTYPE: &'static str = "count_steps";
    type Reply = u32;
}

/// A request without a reply.
#[derive(Serialize)]
struct Nudge {}

impl ControlRequest for Nudge {
    const SUBTYPE: &'static str = "nudge";
    type Reply = Empty;
}

/// Sends a request for a plan of this depth in a new task.
fn ask_in_a_task(tasks: &mut JoinSet<inhouse::Result<Value>>, control: &Control, depth: u32) {
    let control = control.clone();
    tasks.spawn(async move { control.request(GetPlan { depth }).await });
}

#[tokio::test(start_paused = true)]
async fn custom_request_has_its_members_and_its_reply() {
    let (plan, ()) = FakeCli::play(
        Options::new(),
        async |client| Ok(client.control().request(GetPlan { depth: 3 }).await),
        async |cli| {
            let request = cli.expect_request("get_plan").await;
            assert_eq!(request.body(), &json!({"subtype": "get_plan", "depth": 3}));
            request.succeed(json!({"steps": ["think", "act"]})).await;
        },
    )
    .await;
    assert_eq!(plan.unwrap(), json!({"steps": ["think", "act"]}));
}

#[tokio::test(start_paused = true)]
async fn success_without_payload_is_accepted() {
    FakeCli::play(
        Options::new(),
        async |client| {
            let control = client.control();
            control.request(Nudge {}).await?;
            control.set_model(Some("opus")).await?;
            control.set_permission_mode(PermissionMode::Plan).await?;
            control.interrupt().await?;
            Ok(())
        },
        async |cli| {
            for subtype in ["nudge", "set_model", "set_permission_mode", "interrupt"] {
                cli.expect_request(subtype).await.succeed_empty().await;
            }
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn promise_08_replies_match_requests_in_any_order() {
    const COUNT: u32 = 100;
    FakeCli::play(
        Options::new(),
        async |client| {
            let mut tasks = JoinSet::new();
            for depth in 0..COUNT {
                let control = client.control().clone();
                tasks.spawn(async move { (depth, control.request(GetPlan { depth }).await) });
            }
            while let Some(done) = tasks.join_next().await {
                let (depth, plan) = done.unwrap();
                assert_eq!(plan.unwrap(), json!({"of": depth}));
            }
            Ok(())
        },
        async |cli| {
            let mut requests = Vec::new();
            for _ in 0..COUNT {
                requests.push(cli.expect_request("get_plan").await);
            }
            while let Some(request) = requests.pop() {
                let depth = request.body()["depth"].clone();
                request.succeed(json!({"of": depth})).await;
            }
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn refusal_has_the_text_and_code_of_the_cli() {
    let ((with_code, without), ()) = FakeCli::play(
        Options::new(),
        async |client| {
            let with_code = failed(client.control().request(Nudge {}).await);
            let without = failed(client.control().request(Nudge {}).await);
            settled(client.control()).await;
            Ok((with_code, without))
        },
        async |cli| {
            let request = cli.expect_request("nudge").await;
            request
                .refuse("cannot nudge", Some("unsupported_request"))
                .await;
            let request = cli.expect_request("nudge").await;
            request.refuse("not now", None).await;
            settle(cli).await;
        },
    )
    .await;
    assert_eq!(with_code.kind(), ErrorKind::Refused);
    assert_eq!(with_code.code(), Some("unsupported_request"));
    assert!(
        with_code.to_string().contains("`nudge`: cannot nudge"),
        "{with_code}"
    );
    assert_eq!(without.kind(), ErrorKind::Refused);
    assert_eq!(without.code(), None);
}

#[tokio::test(start_paused = true)]
async fn request_is_cancelled_at_its_deadline() {
    let options = Options::new().control_timeout(seconds(20));
    let ((error, took), ()) = FakeCli::play(
        options,
        async |client| {
            let (outcome, took) = timed(client.control().request(Nudge {})).await;
            settled(client.control()).await;
            Ok((failed(outcome), took))
        },
        async |cli| {
            let request = cli.expect_request("nudge").await;
            assert_eq!(cli.expect_cancel().await, request.id());
            // Too late: the reply has no waiter, and is not matched to another request.
            request.succeed_empty().await;
            settle(cli).await;
        },
    )
    .await;
    assert!(error.is_timeout());
    assert!(error.to_string().contains("nudge"), "{error}");
    assert_eq!(took, seconds(20));
}

#[tokio::test(start_paused = true)]
async fn deadline_is_set_per_clone() {
    let options = Options::new().control_timeout(seconds(20));
    let (took, ()) = FakeCli::play(
        options,
        async |client| {
            let short = client.control().with_timeout(seconds(2));
            let unlimited = client.control().with_timeout(None);
            let (short, usual, unlimited) = tokio::join!(
                timed(short.request(Nudge {})),
                timed(client.control().request(Nudge {})),
                timed(unlimited.request(Nudge {})),
            );
            assert!(failed(short.0).is_timeout());
            assert!(failed(usual.0).is_timeout());
            unlimited.0.unwrap();
            Ok((short.1, usual.1))
        },
        async |cli| {
            let mut requests = Vec::new();
            for _ in 0..3 {
                requests.push(cli.expect_request("nudge").await);
            }
            for _ in 0..2 {
                let withdrawn = cli.expect_cancel().await;
                requests.retain(|request| request.id() != withdrawn);
            }
            for request in requests {
                request.succeed_empty().await;
            }
        },
    )
    .await;
    assert_eq!(took, (seconds(2), seconds(20)));
}

#[tokio::test(start_paused = true)]
async fn dropped_request_future_cancels_the_request() {
    FakeCli::play(
        Options::new(),
        async |client| {
            {
                let mut asking = pin!(client.control().request(Nudge {}));
                poll_fn(|cx| {
                    assert!(asking.as_mut().poll(cx).is_pending());
                    Poll::Ready(())
                })
                .await;
            }
            settled(client.control()).await;
            Ok(())
        },
        async |cli| {
            let request = cli.expect_request("nudge").await;
            assert_eq!(cli.expect_cancel().await, request.id());
            settle(cli).await;
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn answered_request_is_not_cancelled() {
    FakeCli::play(
        Options::new(),
        async |client| {
            settled(client.control()).await;
            settled(client.control()).await;
            Ok(())
        },
        async |cli| {
            settle(cli).await;
            settle(cli).await;
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn misshapen_reply_is_an_error_and_the_session_survives() {
    let (error, ()) = FakeCli::play(
        Options::new(),
        async |client| {
            let error = failed(client.control().request(CountSteps {}).await);
            assert_eq!(client.control().request(CountSteps {}).await?, 7);
            Ok(error)
        },
        async |cli| {
            let request = cli.expect_request("count_steps").await;
            request.succeed(json!({"steps": "many"})).await;
            let request = cli.expect_request("count_steps").await;
            request.succeed(json!(7)).await;
        },
    )
    .await;
    assert_eq!(error.kind(), ErrorKind::Protocol);
    assert!(error.to_string().contains("count_steps"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn promise_21_exit_of_the_cli_fails_all_waiters_at_once() {
    const WAITERS: u32 = 50;
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = connect(transport).await;
        let mut tasks = JoinSet::new();
        for depth in 0..WAITERS {
            ask_in_a_task(&mut tasks, client.control(), depth);
        }
        let (outcomes, took) = timed(tasks.join_all()).await;
        assert_eq!(took, seconds(0));
        for error in outcomes.into_iter().map(failed) {
            assert_eq!(error.kind(), ErrorKind::Exited);
            assert_eq!(error.exit_status(), Some(ExitStatus::with_code(137)));
            assert_eq!(error.stderr_tail(), Some("killed by the OOM killer"));
        }
    };
    let cli = async move {
        cli.accept().await;
        for _ in 0..WAITERS {
            let _never_answered = cli.expect_request("get_plan").await;
        }
        cli.stderr("killed by the OOM killer\n");
        cli.exit(ExitStatus::with_code(137));
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn requests_after_the_end_fail_at_once() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = connect(transport).await;
        let control = client.control().clone();
        client.close().await.unwrap();
        let request = failed(control.request(Nudge {}).await);
        let prompt = failed(control.send("anyone?").await);
        let again = control.close().await.unwrap();
        (request.kind(), prompt.kind(), again)
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_end_of_input().await;
    };
    let (end, ()) = join(host, cli).await;
    let exit = Some(ExitStatus::with_code(0));
    assert_eq!(end, (ErrorKind::Closed, ErrorKind::Closed, exit));
}

#[tokio::test(start_paused = true)]
async fn pending_requests_fail_as_closed_on_close() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = connect(transport).await;
        let control = client.control().clone();
        let (outcome, closed) = tokio::join!(control.request(Nudge {}), client.close());
        closed.unwrap();
        failed(outcome).kind()
    };
    let cli = async move {
        cli.accept().await;
        let _never_answered = cli.expect_request("nudge").await;
        cli.expect_end_of_input().await;
    };
    let (kind, ()) = join(host, cli).await;
    assert_eq!(kind, ErrorKind::Closed);
}

#[tokio::test(start_paused = true)]
async fn many_requests_can_be_pending() {
    const COUNT: usize = 20_000;
    FakeCli::play(
        Options::new(),
        async |client| {
            let mut tasks = JoinSet::new();
            for _ in 0..COUNT {
                ask_in_a_task(&mut tasks, client.control(), 1);
            }
            let outcomes = tasks.join_all().await;
            assert!(outcomes.iter().all(Result::is_ok));
            Ok(())
        },
        async |cli| {
            for _ in 0..COUNT {
                let request = cli.expect_request("get_plan").await;
                request.succeed(json!({})).await;
            }
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn replies_without_a_request_are_ignored() {
    FakeCli::play(
        Options::new(),
        async |client| {
            settled(client.control()).await;
            Ok(())
        },
        async |cli| {
            for response in [
                json!({"subtype": "success", "request_id": "nobody", "response": {}}),
                json!({"subtype": "error", "request_id": "req_999", "error": "x"}),
                json!({"subtype": "success"}),
                json!(7),
            ] {
                cli.send(json!({"type": "control_response", "response": response}))
                    .await;
            }
            settle(cli).await;
        },
    )
    .await;
}

/// Returns the `mcp_status` entry of one server.
fn status_of(name: &str, status: &str) -> Value {
    json!({"mcpServers": [{"name": name, "status": status}]})
}

#[tokio::test(start_paused = true)]
async fn promise_17_host_can_wait_for_external_servers() {
    let (servers, ()) = FakeCli::play(
        Options::new(),
        async |client| Ok(client.control().wait_mcp_ready().await),
        async |cli| {
            for status in ["pending", "pending", "failed"] {
                let asked = cli.expect_request("mcp_status").await;
                asked.succeed(status_of("browser", status)).await;
            }
        },
    )
    .await;
    let servers = servers.expect("the failed session does not interfere");
    assert_eq!(servers[0].status, McpConnection::Failed);
}

#[tokio::test(start_paused = true)]
async fn promise_17_timeout_names_the_server_that_is_not_ready() {
    FakeCli::play(
        Options::new(),
        async |client| {
            let control = client.control().with_timeout(seconds(2));
            let error = control.wait_mcp_ready().await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Timeout);
            assert!(error.to_string().contains("browser"), "{error}");
            Ok(())
        },
        async |cli| {
            let asked = cli.expect_request("mcp_status").await;
            asked.succeed(status_of("browser", "pending")).await;
            let unanswered = cli.expect_request("mcp_status").await;
            assert_eq!(cli.expect_cancel().await, unanswered.id());
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn refusal_without_an_error_text_fails_at_once_with_the_raw_error() {
    for error in [
        json!({"reason": "not now"}),
        json!(["not now"]),
        json!(7),
        json!(null),
    ] {
        let refusal = error.clone();
        let ((outcome, took), ()) = FakeCli::play(
            Options::new(),
            async |client| Ok(timed(client.control().interrupt()).await),
            async |cli| {
                let request = cli.expect_request("interrupt").await;
                let response =
                    json!({"subtype": "error", "request_id": request.id(), "error": refusal});
                cli.send(json!({"type": "control_response", "response": response}))
                    .await;
            },
        )
        .await;
        let refused = failed(outcome);
        assert_eq!(refused.kind(), ErrorKind::Refused, "{refused}");
        assert!(
            refused.to_string().contains(&error.to_string()),
            "{refused}"
        );
        assert_eq!(took, seconds(0));
    }
}
