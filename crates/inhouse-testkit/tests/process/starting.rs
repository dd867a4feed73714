//! A CLI that does not get as far as a session.

use std::time::Duration;

use inhouse::{Client, ErrorKind, ExitStatus};
use inhouse_testkit::Script;

use crate::harness::{Stage, hear, within};

#[tokio::test]
async fn promise_04_cli_that_fails_to_start_is_reported_at_once() {
    let stage = Stage::new(
        &Script::new()
            .stderr("error: unknown option '--frob'\n")
            .exit(1),
    );
    let options = stage.options().connect_timeout(Duration::MAX);
    let error = within(Client::connect(options)).await.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Exited);
    assert_eq!(error.exit_status(), Some(ExitStatus::with_code(1)));
    assert_eq!(error.stderr_tail(), Some("error: unknown option '--frob'"));
    assert!(
        error.to_string().contains("unknown option '--frob'"),
        "{error}"
    );
    stage.assert_gone();
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
        let stage = Stage::new(&silence);
        // Long enough that the process is up, since only then it can be seen to be gone.
        let options = stage.options().connect_timeout(Duration::from_secs(2));
        let error = within(Client::connect(options)).await.err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Timeout);
        assert!(
            error.to_string().contains("initialize"),
            "what was pending: {error}"
        );
        stage.assert_gone();
    }
}

#[tokio::test]
async fn refused_session_is_a_handshake_error_with_the_reason() {
    let script = Script::new().refuse("initialize", "not today", None);
    let stage = Stage::new(&script);
    let error = stage.connect().await.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Handshake);
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("not today"), "{source}");
    stage.assert_gone();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn promise_13_dropped_connect_future_kills_the_cli() {
    let script = Script::new()
        .leave_open("initialize")
        .ignore_terminate()
        .stubborn_grandchild()
        .stderr("half-way\n")
        .hang();
    let stage = Stage::new(&script);
    let (options, half_way) = hear("half-way", stage.options());
    let connecting = Client::connect(options);
    within(async {
        tokio::select! {
            _ = connecting => panic!("nobody accepts the session"),
            half_way = half_way => half_way.unwrap(),
        }
    })
    .await;
    stage.assert_gone();
}
