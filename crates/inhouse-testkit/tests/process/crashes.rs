//! A CLI that exits or is killed at every point of a conversation.

use inhouse::{Client, ErrorKind, ExitStatus, Result, query};
use inhouse_testkit::Script;
use inhouse_testkit::fake::Step;
use serde_json::json;

use crate::support::{FakeProcess, on_stderr_line, until_sigterm, within};

/// Returns the steps of a short conversation.
fn conversation() -> Script {
    Script::new()
        .accept()
        .answer("set_model", None)
        .expect_prompt()
        .state("running")
        .init()
        .ask(json!({"subtype": "juggle"}))
        .assistant("let me see")
        .result("first")
        .state("idle")
        .expect_prompt()
        .state("running")
        .assistant("let me see")
        .result("second")
        .state("idle")
}

/// The host's side of the conversation.
async fn converse(fake: &FakeProcess) -> Result<Option<ExitStatus>> {
    let mut client = Client::connect(fake.options()).await?;
    client.control().set_model(Some("opus")).await?;
    for answer in ["first", "second"] {
        assert_eq!(client.send("go on").await?.text().await?, answer);
    }
    client.close().await
}

/// The number of results that the host reads.
fn is_complete(script: &Script) -> bool {
    let results = script.steps().iter();
    results
        .filter(|step| matches!(step, Step::Result { .. }))
        .count()
        == 2
}

#[tokio::test]
async fn conversation_succeeds_without_a_crash() {
    let fake = FakeProcess::new(&conversation());
    let exit = within(converse(&fake)).await.unwrap();
    assert_eq!(exit, Some(ExitStatus::with_code(0)));
    fake.assert_gone();
}

#[tokio::test]
async fn promise_04_cli_killed_at_any_step_fails_all_waiters_at_once() {
    die_at_every_step(Step::Kill { signal: 9 }, ExitStatus::with_signal(9)).await;
}

#[tokio::test]
async fn promise_21_cli_that_exits_at_any_step_is_reported_with_its_code() {
    die_at_every_step(Step::Exit { code: 7 }, ExitStatus::with_code(7)).await;
}

async fn die_at_every_step(death: Step, status: ExitStatus) {
    let script = conversation();
    for count in 0..=script.steps().len() {
        let script = script.first(count).stderr("goodbye\n").step(death.clone());
        let fake = FakeProcess::new(&script);
        let outcome = within(converse(&fake)).await;
        fake.assert_gone();
        let error = match outcome {
            // The host has read everything, and may have closed the session before the kill.
            Ok(_) if is_complete(&script) => continue,
            Ok(exit) => panic!("step {count}: a clean end with {exit:?}"),
            Err(error) => error,
        };
        assert_eq!(error.kind(), ErrorKind::Exited, "step {count}: {error:?}");
        assert_eq!(error.exit_status(), Some(status), "step {count}: {error:?}");
        assert_eq!(
            error.stderr_tail(),
            Some("goodbye"),
            "step {count}: {error:?}"
        );
        let text = error.to_string();
        assert!(
            text.contains(&status.to_string()) && text.contains("goodbye"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn promise_04_every_waiter_fails_at_once() {
    let script = Script::new()
        .accept()
        .leave_open("interrupt")
        .leave_open("set_model")
        .expect_prompt()
        .kill(9);
    let fake = FakeProcess::new(&script);
    let mut client = fake.connect().await.unwrap();
    let control = client.control().with_timeout(None);
    let interrupt = control.interrupt();
    let model = control.set_model(None);
    let turn = async { client.send("go on").await?.text().await };
    let (interrupt, model, turn) = within(async { tokio::join!(interrupt, model, turn) }).await;
    for error in [
        interrupt.unwrap_err(),
        model.unwrap_err(),
        turn.unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Exited);
        assert_eq!(error.exit_status(), Some(ExitStatus::with_signal(9)));
    }
    fake.assert_gone();
}

#[tokio::test]
async fn promise_21_failed_turn_has_its_reason_and_no_second_error() {
    let script = Script::new()
        .accept()
        .expect_prompt()
        .state("running")
        .init()
        .error_result("error_max_turns", "Reached maximum number of turns (1)")
        .state("idle")
        .expect_end_of_input()
        .exit(1);
    let fake = FakeProcess::new(&script);
    let query = query("go on").options(fake.options());
    let error = within(async { query.await?.text().await })
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Failed);
    let result = error.result().expect("it has the result");
    assert_eq!(result.subtype.as_str(), "error_max_turns");
    assert!(
        error
            .to_string()
            .contains("Reached maximum number of turns (1)"),
        "{error}"
    );
    fake.assert_gone();
}

#[tokio::test]
async fn partial_line_is_neither_a_message_nor_a_hang() {
    let script = Script::new()
        .accept()
        .expect_prompt()
        .state("running")
        .bytes(br#"{"type":"assistant","message":{"role":"#)
        .kill(9);
    let fake = FakeProcess::new(&script);
    let query = query("go on").options(fake.options());
    let error = within(async { query.await?.text().await })
        .await
        .unwrap_err();
    assert_eq!(error.exit_status(), Some(ExitStatus::with_signal(9)));
    fake.assert_gone();
}

#[tokio::test]
async fn closed_stdin_fails_the_prompt() {
    let script = Script::new().accept().close_stdin().stderr("shut\n").hang();
    let fake = FakeProcess::new(&script);
    let (options, shut) = on_stderr_line("shut", fake.options().shutdown(until_sigterm()));
    let mut client = within(Client::connect(options)).await.unwrap();
    within(shut).await.unwrap();
    let error = within(client.send("anyone?")).await.err().unwrap();
    assert!(error.is_ended(), "{error:?}");
    // The process may have exited already.
    let _ = within(client.close()).await;
    fake.assert_gone();
}

#[tokio::test]
async fn closed_stdout_ends_the_session() {
    let script = Script::new()
        .accept()
        .expect_prompt()
        .state("running")
        .close_stdout()
        .hang();
    let fake = FakeProcess::new(&script);
    let query = query("anyone?").options(fake.options().shutdown(until_sigterm()));
    let error = within(async { query.await?.text().await })
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Exited);
    fake.assert_gone();
}
