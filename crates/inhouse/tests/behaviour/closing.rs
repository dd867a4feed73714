//! `close`, from any task and in bounded time.

use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::task::Poll;

use inhouse::message::Message;
use inhouse::permission::{CanUseTool, Decision};
use inhouse::process::ShutdownTiming;
use inhouse::{Asked, ErrorKind, ExitStatus, HandlerError, Options};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::json;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::Instant;

use crate::support::{connect, connect_with, failed, read, seconds, summary, timed};

const GRACE: u64 = 3;
const TERM: u64 = 4;

fn short_timing() -> Options {
    Options::new().shutdown(
        ShutdownTiming::default()
            .grace(seconds(GRACE))
            .term(seconds(TERM)),
    )
}

#[tokio::test(start_paused = true)]
async fn promise_14_idle_session_closes_with_the_exit_status() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = connect(transport).await;
        timed(client.close()).await
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_end_of_input().await;
    };
    let ((exit, took), ()) = join(host, cli).await;
    assert_eq!(exit.unwrap(), Some(ExitStatus::with_code(0)));
    assert_eq!(took, seconds(0));
}

#[tokio::test(start_paused = true)]
async fn promise_14_session_closes_in_the_middle_of_a_turn() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        let mut turn = client.send("a long story").await.unwrap();
        assert_eq!(summary(&turn.next().await.unwrap().unwrap()), "said once");
        drop(turn);
        client.close().await
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.state("running").await;
        cli.assistant("once").await;
        drop(cli.expect_request("interrupt").await);
        cli.expect_end_of_input().await;
        cli.exit(ExitStatus::with_code(1));
    };
    let (exit, ()) = join(host, cli).await;
    // The host closed the session, so the exit status is not an error.
    assert_eq!(exit.unwrap(), Some(ExitStatus::with_code(1)));
}

#[tokio::test(start_paused = true)]
async fn closing_in_a_turn_interrupts_it_and_answers_no_open_request() {
    let (transport, mut cli) = FakeCli::new();
    let (asked, mut question) = unbounded_channel();
    let options = short_timing().permissions(async move |_: Asked<CanUseTool>| {
        asked.send(()).expect("the test holds the receiver");
        pending::<Result<Decision, HandlerError>>().await
    });
    let host = async {
        let mut client = connect_with(options, transport).await;
        drop(client.send("a long story").await.unwrap());
        question.recv().await.unwrap();
        timed(client.close()).await
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        let request = json!({
            "subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "toolu_1", "input": {},
        });
        cli.ask(request).await;
        // Both come at once, without a response or a wait in between.
        drop(cli.expect_request("interrupt").await);
        cli.expect_end_of_input().await;
        cli.error_result("error_during_execution", &[]).await;
        cli.exit(ExitStatus::with_code(1));
    };
    let ((exit, took), ()) = join(host, cli).await;
    assert_eq!(exit.unwrap(), Some(ExitStatus::with_code(1)));
    assert_eq!(took, seconds(0));
}

#[tokio::test(start_paused = true)]
async fn closing_in_the_turn_of_a_queued_prompt_interrupts_it() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let (control, mut messages) = connect_with(short_timing(), transport).await.split();
        control.send("first").await.unwrap();
        control.send("second").await.unwrap();
        while !matches!(messages.next().await.unwrap().unwrap(), Message::Result(_)) {}
        timed(control.close()).await
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.expect_prompt().await;
        cli.state("running").await;
        cli.assistant("the first is done").await;
        cli.result("the first is done").await;
        // The turn of the second prompt runs, without a message yet.
        drop(cli.expect_request("interrupt").await);
        cli.expect_end_of_input().await;
        cli.exit(ExitStatus::with_code(1));
    };
    let ((exit, took), ()) = join(host, cli).await;
    assert_eq!(exit.unwrap(), Some(ExitStatus::with_code(1)));
    assert_eq!(took, seconds(0));
}

#[tokio::test(start_paused = true)]
async fn closing_kills_a_background_task_that_waits_for_a_handler() {
    let (transport, mut cli) = FakeCli::new();
    let (asked, mut question) = unbounded_channel();
    let options = short_timing().permissions(async move |_: Asked<CanUseTool>| {
        asked.send(()).expect("the test holds the receiver");
        pending::<Result<Decision, HandlerError>>().await
    });
    let host = async {
        let mut client = connect_with(options, transport).await;
        client.send("Go.").await.unwrap().text().await.unwrap();
        question.recv().await.unwrap();
        timed(client.close()).await
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.send(json!({
            "type": "system", "subtype": "task_started", "task_id": "t1",
            "task_type": "local_agent", "description": "Counts", "session_id": cli.session_id(),
        }))
        .await;
        cli.turn("Started.").await;
        let request = json!({
            "subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "toolu_1", "input": {},
        });
        cli.ask(request).await;
        cli.expect_kill().await;
    };
    let ((_, took), ()) = join(host, cli).await;
    assert_eq!(took, seconds(0));
}

#[tokio::test(start_paused = true)]
async fn dropped_close_future_does_not_kill_the_cli() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect_with(short_timing(), transport).await;
        drop(client.send("a long story").await.unwrap());
        let mut closing = Box::pin(client.close());
        poll_fn(|cx| {
            assert!(closing.as_mut().poll(cx).is_pending());
            Poll::Ready(())
        })
        .await;
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        drop(cli.expect_request("interrupt").await);
        cli.expect_end_of_input().await;
        // The grace period is not shortened.
        let began = Instant::now();
        cli.expect_terminate().await;
        assert_eq!(began.elapsed(), seconds(GRACE));
        cli.exit(ExitStatus::with_code(143));
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn promise_14_close_from_another_task_ends_a_pending_read() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let (control, mut messages) = connect(transport).await.split();
        let closing = tokio::spawn(async move { control.close().await });
        assert!(messages.next().await.is_none());
        closing.await.unwrap().unwrap();
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_end_of_input().await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn promise_14_close_from_another_task_ends_the_turn() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        let control = client.control().clone();
        let turn = client.send("hello").await.unwrap();
        let closing = tokio::spawn(async move { control.close().await });
        let error = failed(turn.finish().await);
        closing.await.unwrap().unwrap();
        error
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        drop(cli.expect_request("interrupt").await);
        cli.expect_end_of_input().await;
    };
    let (error, ()) = join(host, cli).await;
    assert_eq!(error.kind(), ErrorKind::Closed);
    assert!(error.is_ended());
}

#[tokio::test(start_paused = true)]
async fn promise_14_concurrent_closes_return_the_same_status() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = connect(transport).await;
        let control = client.control().clone();
        tokio::join!(client.close(), control.close())
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_end_of_input().await;
        cli.exit(ExitStatus::with_code(4));
    };
    let ((one, other), ()) = join(host, cli).await;
    assert_eq!(one.unwrap(), Some(ExitStatus::with_code(4)));
    assert_eq!(other.unwrap(), Some(ExitStatus::with_code(4)));
}

#[tokio::test(start_paused = true)]
async fn promise_14_dropped_close_future_still_closes() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let (control, mut messages) = connect_with(short_timing(), transport).await.split();
        {
            let mut closing = pin!(control.close());
            poll_fn(|cx| {
                assert!(closing.as_mut().poll(cx).is_pending());
                Poll::Ready(())
            })
            .await;
        }
        let (end, took) = timed(messages.next()).await;
        assert!(end.is_none());
        took
    };
    let cli = async move {
        cli.ignore_terminate();
        cli.accept().await;
        cli.expect_end_of_input().await;
        cli.expect_kill().await;
    };
    let (took, ()) = join(host, cli).await;
    assert_eq!(took, seconds(GRACE + TERM));
}

#[tokio::test(start_paused = true)]
async fn promise_14_cli_that_ignores_term_is_killed_in_time() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = connect_with(short_timing(), transport).await;
        timed(client.close()).await
    };
    let cli = async move {
        cli.ignore_terminate();
        cli.accept().await;
        cli.expect_end_of_input().await;
        let start = Instant::now();
        cli.expect_terminate().await;
        assert_eq!(start.elapsed(), seconds(GRACE));
        cli.expect_kill().await;
        assert_eq!(start.elapsed(), seconds(GRACE + TERM));
    };
    let ((exit, took), ()) = join(host, cli).await;
    assert_eq!(exit.unwrap(), Some(ExitStatus::with_signal(9)));
    assert_eq!(took, seconds(GRACE + TERM));
}

#[tokio::test(start_paused = true)]
async fn promise_14_cli_that_survives_kill_does_not_block_close() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = connect_with(short_timing(), transport).await;
        timed(client.close()).await
    };
    let cli = async {
        cli.ignore_terminate();
        cli.ignore_kill();
        cli.accept().await;
        cli.expect_end_of_input().await;
    };
    let ((exit, took), ()) = join(host, cli).await;
    assert_eq!(exit.unwrap(), None, "there is no exit status");
    assert_eq!(took, seconds(GRACE + TERM + 5));
}

#[tokio::test(start_paused = true)]
async fn promise_14_cli_that_exits_on_term_is_not_killed() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = connect_with(short_timing(), transport).await;
        timed(client.close()).await
    };
    let cli = async {
        cli.accept().await;
        cli.expect_end_of_input().await;
        cli.expect_terminate().await;
    };
    let ((exit, took), ()) = join(host, cli).await;
    assert_eq!(exit.unwrap(), Some(ExitStatus::with_signal(15)));
    assert_eq!(took, seconds(GRACE));
}

#[tokio::test(start_paused = true)]
async fn promise_14_cli_that_does_not_read_does_not_block_close() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = connect_with(short_timing(), transport).await;
        let control = client.control().clone();
        let prompt = "x".repeat(300_000);
        let (sent, closed) = tokio::join!(control.send(prompt), timed(client.close()));
        assert_eq!(failed(sent).kind(), ErrorKind::Closed);
        closed
    };
    let cli = async {
        cli.accept().await;
        cli.expect_terminate().await;
    };
    let ((exit, took), ()) = join(host, cli).await;
    assert_eq!(exit.unwrap(), Some(ExitStatus::with_signal(15)));
    assert_eq!(took, seconds(GRACE));
}

#[tokio::test(start_paused = true)]
async fn promise_14_held_stdout_does_not_block_close() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = connect_with(short_timing(), transport).await;
        timed(client.close()).await
    };
    let cli = async move {
        cli.hold_stdout();
        cli.accept().await;
        cli.expect_end_of_input().await;
        cli.exit(ExitStatus::with_code(0));
    };
    let ((exit, took), ()) = join(host, cli).await;
    assert_eq!(exit.unwrap(), Some(ExitStatus::with_code(0)));
    assert!(took <= seconds(1), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn messages_sent_during_shutdown_are_read() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let (control, mut messages) = connect(transport).await.split();
        control.close().await.unwrap();
        let read = read(&mut messages, 1).await;
        assert!(messages.next().await.is_none());
        read
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_end_of_input().await;
        cli.assistant("farewell").await;
    };
    let (read, ()) = join(host, cli).await;
    assert_eq!(read, ["said farewell"]);
}

#[tokio::test(start_paused = true)]
async fn close_after_a_crash_returns_an_error() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let (control, mut messages) = connect(transport).await.split();
        assert!(messages.next().await.unwrap().is_err());
        failed(control.close().await)
    };
    let cli = async move {
        cli.accept().await;
        cli.exit(ExitStatus::with_signal(6));
    };
    let (error, ()) = join(host, cli).await;
    assert_eq!(error.kind(), ErrorKind::Exited);
    assert_eq!(error.exit_status(), Some(ExitStatus::with_signal(6)));
}

#[tokio::test(start_paused = true)]
async fn dropped_client_ends_its_cli() {
    let (transport, mut cli) = FakeCli::new();
    let host = async { drop(connect_with(short_timing(), transport).await) };
    let cli = async move {
        cli.accept().await;
        cli.expect_end_of_input().await;
        let ((), took) = timed(cli.expect_terminate()).await;
        assert_eq!(took, seconds(GRACE));
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn session_stays_open_while_a_control_exists() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = connect(transport).await;
        let control = client.control().clone();
        drop(client);
        control.interrupt().await.unwrap();
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_request("interrupt").await.succeed_empty().await;
        cli.expect_end_of_input().await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn cli_that_closes_stdout_is_terminated() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect_with(short_timing(), transport).await;
        let (end, took) = timed(client.messages().next()).await;
        assert_eq!(
            failed(end.expect("it is reported")).kind(),
            ErrorKind::Exited
        );
        took
    };
    let cli = async move {
        cli.accept().await;
        cli.close_stdout().await;
        cli.expect_end_of_input().await;
        cli.expect_terminate().await;
    };
    let (took, ()) = join(host, cli).await;
    assert_eq!(took, seconds(GRACE));
}
