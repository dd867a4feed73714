//! How a query reports the exit of its CLI.

use inhouse::{Error, ErrorKind, ExitStatus, query};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;

use crate::support::{failed, summary};

/// Reads the messages of a query while the CLI's side runs; returns them and the final error.
async fn conversation(cli_part: impl AsyncFnOnce(FakeCli)) -> (Vec<String>, Option<Error>) {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut messages = query("hello").transport(transport).await.unwrap();
        let mut read = Vec::new();
        let mut failure = None;
        while let Some(message) = messages.next().await {
            assert!(failure.is_none(), "an error is the last item");
            match message {
                Ok(message) => read.push(summary(&message)),
                Err(error) => failure = Some(error),
            }
        }
        (read, failure)
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli_part(cli).await;
    };
    join(host, cli).await.0
}

#[tokio::test(start_paused = true)]
async fn exit_code_1_after_an_error_result_is_ok() {
    let (read, failure) = conversation(async |mut cli| {
        cli.state("running").await;
        cli.error_result("error_max_turns", &["too many"]).await;
        cli.state("idle").await;
        cli.expect_end_of_input().await;
        cli.exit(ExitStatus::with_code(1));
    })
    .await;
    assert_eq!(read, ["result "]);
    assert!(failure.is_none(), "{failure:?}");
}

#[tokio::test(start_paused = true)]
async fn exit_after_the_result_and_before_idle_is_ok() {
    for code in [0, 1] {
        let (read, failure) = conversation(async |mut cli| {
            cli.state("running").await;
            match code {
                0 => cli.result("done").await,
                _ => cli.error_result("error_max_turns", &["too many"]).await,
            }
            cli.exit(ExitStatus::with_code(code));
        })
        .await;
        assert_eq!(read.len(), 1);
        assert!(failure.is_none(), "{failure:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn promise_21_any_other_exit_after_an_error_result_is_an_error() {
    let (read, failure) = conversation(async |mut cli| {
        cli.error_result("error_max_turns", &["too many"]).await;
        cli.expect_end_of_input().await;
        cli.stderr("segmentation fault\n");
        cli.exit(ExitStatus::with_code(139));
    })
    .await;
    assert_eq!(read, ["result "]);
    let error = failure.expect("the exit is an error");
    assert_eq!(error.kind(), ErrorKind::Exited);
    assert_eq!(error.exit_status(), Some(ExitStatus::with_code(139)));
    assert_eq!(error.stderr_tail(), Some("segmentation fault"));
}

#[tokio::test(start_paused = true)]
async fn promise_21_exit_code_1_after_a_good_result_is_an_error() {
    let (_, failure) = conversation(async |mut cli| {
        cli.turn("fine").await;
        cli.exit(ExitStatus::with_code(1));
    })
    .await;
    let error = failure.expect("the exit is an error");
    assert_eq!(error.exit_status(), Some(ExitStatus::with_code(1)));
}

#[tokio::test(start_paused = true)]
async fn promise_21_exit_without_a_result_is_an_error_even_with_code_0() {
    let (read, failure) = conversation(async |mut cli| {
        cli.assistant("I was about to").await;
        cli.exit(ExitStatus::with_code(0));
    })
    .await;
    assert_eq!(read, ["said I was about to"]);
    let error = failure.expect("a response is missing");
    assert!(
        error.to_string().contains("before its turn had a result"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn crash_after_the_result_is_a_stream_error() {
    let (read, failure) = conversation(async |mut cli| {
        cli.turn("fine").await;
        cli.exit(ExitStatus::with_signal(11));
    })
    .await;
    assert_eq!(read, ["system init", "said fine", "result fine"]);
    let error = failure.expect("the exit is an error");
    assert_eq!(error.exit_status(), Some(ExitStatus::with_signal(11)));
    assert!(!error.to_string().contains("before its turn"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn crash_after_the_result_keeps_the_result() {
    let (transport, mut cli) = FakeCli::new();
    let host = async { query("hello").transport(transport).await?.text().await };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.turn("fine").await;
        cli.exit(ExitStatus::with_signal(11));
    };
    let (answer, ()) = join(host, cli).await;
    assert_eq!(answer.unwrap(), "fine");
}

#[tokio::test(start_paused = true)]
async fn promise_04_crash_before_the_result_fails_the_answer() {
    let (transport, mut cli) = FakeCli::new();
    let host = async { query("hello").transport(transport).await?.text().await };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.stderr("out of memory\n");
        cli.exit(ExitStatus::with_signal(9));
    };
    let (outcome, ()) = join(host, cli).await;
    let error = failed(outcome);
    assert_eq!(error.kind(), ErrorKind::Exited);
    assert!(error.to_string().contains("out of memory"), "{error}");
}
