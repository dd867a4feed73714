use inhouse::message::{ResultSubtype, TerminalReason};
use inhouse::{ErrorKind, ExitStatus, Options, query};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{failed, read_to_end, result_with, seconds, timed};

#[tokio::test(start_paused = true)]
async fn prompt_is_written_right_after_initialize() {
    let (transport, mut cli) = FakeCli::new();
    let host = async { query("15 + 27").transport(transport).await?.text().await };
    let cli = async move {
        let initialize = cli.expect_request("initialize").await;
        assert_eq!(cli.expect_prompt().await.text(), "15 + 27");
        initialize.succeed_empty().await;
        cli.turn("42").await;
        cli.expect_end_of_input().await;
    };
    let (answer, ()) = join(host, cli).await;
    assert_eq!(answer.unwrap(), "42");
}

#[tokio::test(start_paused = true)]
async fn unread_prompt_does_not_extend_the_connect_timeout() {
    let (transport, cli) = FakeCli::new();
    let options = Options::new()
        .connect_timeout(seconds(5))
        .control_timeout(seconds(60));
    // More than fits into the pipe of a CLI that does not read.
    let prompt = "x".repeat(300_000);
    let host = timed(async { query(prompt).options(options).transport(transport).await });
    let cli = async move {
        let mut cli = cli;
        cli.expect_terminate().await;
    };
    let ((outcome, took), ()) = join(host, cli).await;
    assert!(failed(outcome).is_timeout());
    // The deadline plus the short grace period before TERM.
    assert_eq!(took, seconds(5 + 1));
}

#[tokio::test(start_paused = true)]
async fn stream_has_every_message_and_ends() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut messages = query("hello").transport(transport).await.unwrap();
        let read = read_to_end(&mut messages).await;
        assert!(messages.next().await.is_none(), "the stream has ended");
        read
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.turn("hi").await;
        cli.expect_end_of_input().await;
    };
    let (read, ()) = join(host, cli).await;
    assert_eq!(read, ["system init", "said hi", "result hi"]);
}

#[tokio::test(start_paused = true)]
async fn json_returns_the_structured_output() {
    #[derive(Debug, Deserialize, PartialEq)]
    struct Sum {
        sum: i64,
    }

    let (transport, mut cli) = FakeCli::new();
    let host = async { query("sum").transport(transport).await?.json::<Sum>().await };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        let result = result_with(&cli, json!({"structured_output": {"sum": 42}}));
        cli.send(result).await;
        cli.expect_end_of_input().await;
    };
    let (sum, ()) = join(host, cli).await;
    assert_eq!(sum.unwrap(), Sum { sum: 42 });
}

#[tokio::test(start_paused = true)]
async fn json_without_structured_output_is_a_protocol_error() {
    for members in [json!({}), json!({"structured_output": "not a number"})] {
        let (transport, mut cli) = FakeCli::new();
        let host = async { query("sum").transport(transport).await?.json::<i64>().await };
        let cli = async move {
            cli.accept().await;
            cli.expect_prompt().await;
            cli.send(result_with(&cli, members)).await;
            cli.expect_end_of_input().await;
        };
        let (outcome, ()) = join(host, cli).await;
        assert_eq!(failed(outcome).kind(), ErrorKind::Protocol);
    }
}

#[tokio::test(start_paused = true)]
async fn promise_21_failed_turn_is_an_error_with_the_result() {
    let (transport, mut cli) = FakeCli::new();
    let host = async { query("loop").transport(transport).await?.text().await };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.send(error_result(&cli)).await;
        cli.expect_end_of_input().await;
        cli.exit(ExitStatus::with_code(1));
    };
    let (outcome, ()) = join(host, cli).await;
    let error = failed(outcome);
    assert_eq!(error.kind(), ErrorKind::Failed);
    assert!(
        error
            .to_string()
            .contains("Reached maximum number of turns"),
        "{error}"
    );
    let result = error.result().expect("the failed result");
    assert_eq!(result.subtype, ResultSubtype::ErrorMaxTurns);
    assert_eq!(result.terminal_reason, Some(TerminalReason::MaxTurns));
}

#[tokio::test(start_paused = true)]
async fn finish_returns_a_failed_result_unchanged() {
    let (transport, mut cli) = FakeCli::new();
    let host = async { query("loop").transport(transport).await?.finish().await };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.send(error_result(&cli)).await;
        cli.expect_end_of_input().await;
        cli.exit(ExitStatus::with_code(1));
    };
    let (result, ()) = join(host, cli).await;
    let result = result.unwrap();
    assert!(result.is_error);
    assert_eq!(result.subtype, ResultSubtype::ErrorMaxTurns);
}

#[tokio::test(start_paused = true)]
async fn query_closed_before_its_result_fails_as_closed() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let messages = query("hello").transport(transport).await.unwrap();
        let control = messages.control().clone();
        let (outcome, closed) = tokio::join!(messages.finish(), control.close());
        closed.unwrap();
        failed(outcome)
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        drop(cli.expect_request("interrupt").await);
        cli.expect_end_of_input().await;
    };
    let (error, ()) = join(host, cli).await;
    assert_eq!(error.kind(), ErrorKind::Closed, "{error}");
}

fn error_result(cli: &FakeCli) -> Value {
    result_with(
        cli,
        json!({
            "subtype": "error_max_turns",
            "is_error": true,
            "errors": ["Reached maximum number of turns (1)"],
            "terminal_reason": "max_turns",
        }),
    )
}
