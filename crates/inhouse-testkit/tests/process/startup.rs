//! A CLI that fails before the session opens.

use std::time::Duration;

use inhouse::{Client, ErrorKind, ExitStatus};
use inhouse_testkit::Script;

use crate::support::{FakeProcess, on_stderr_line, until_sigkill, within};

#[tokio::test]
async fn promise_04_cli_that_fails_to_start_is_reported_at_once() {
    let fake = FakeProcess::new(
        &Script::new()
            .stderr("error: unknown option '--frob'\n")
            .exit(1),
    );
    let options = fake.options().connect_timeout(Duration::MAX);
    let error = within(Client::connect(options)).await.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Exited);
    assert_eq!(error.exit_status(), Some(ExitStatus::with_code(1)));
    assert_eq!(error.stderr_tail(), Some("error: unknown option '--frob'"));
    assert!(
        error.to_string().contains("unknown option '--frob'"),
        "{error}"
    );
    fake.assert_gone();
}

#[tokio::test]
async fn promise_05_start_timeout_leaves_no_process() {
    for silence in [
        Script::new().leave_open("initialize").hang(),
        Script::new().hang(),
        Script::new()
            .ignore_terminate()
            .stubborn_grandchild()
            .ignore_end_of_input(),
    ] {
        let fake = FakeProcess::new(&silence);
        // Long enough for the process to start.
        let options = fake.options().shutdown(until_sigkill());
        let options = options.connect_timeout(Duration::from_secs(2));
        let error = within(Client::connect(options)).await.err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Timeout);
        assert!(
            error.to_string().contains("initialize"),
            "what was pending: {error}"
        );
        fake.assert_gone();
    }
}

#[tokio::test]
async fn refused_session_is_a_handshake_error_with_the_reason() {
    let script = Script::new().refuse("initialize", "not today", None);
    let fake = FakeProcess::new(&script);
    let error = fake.connect().await.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Handshake);
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("not today"), "{source}");
    fake.assert_gone();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn promise_13_dropped_connect_future_kills_the_cli() {
    let script = Script::new()
        .leave_open("initialize")
        .ignore_terminate()
        .stubborn_grandchild()
        .stderr("half-way\n")
        .hang();
    let fake = FakeProcess::new(&script);
    let (options, half_way) = on_stderr_line("half-way", fake.options().shutdown(until_sigkill()));
    let connecting = Client::connect(options);
    within(async {
        tokio::select! {
            _ = connecting => panic!("the session must not open"),
            half_way = half_way => half_way.unwrap(),
        }
    })
    .await;
    fake.assert_gone();
}
