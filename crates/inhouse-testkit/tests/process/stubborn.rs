//! A CLI that does not want to end, and what it leaves behind.

use inhouse::{ExitStatus, query};
use inhouse_testkit::Script;

use crate::harness::{Stage, within};

const SIGKILL: i32 = 9;
const SIGTERM: i32 = 15;

#[tokio::test]
async fn promise_14_close_ends_a_cli_that_ignores_the_end_of_input() {
    for deaf in [Script::new().ignore_end_of_input(), Script::new().hang()] {
        let stage = Stage::new(&Script::new().accept().then(deaf));
        let client = stage.connect().await.unwrap();
        let exit = within(client.close()).await.unwrap();
        assert_eq!(exit, Some(ExitStatus::with_signal(SIGTERM)));
        stage.assert_gone();
    }
}

#[tokio::test]
async fn promise_14_close_ends_a_cli_that_ignores_everything() {
    let script = Script::new()
        .ignore_terminate()
        .stubborn_grandchild()
        .accept()
        .ignore_end_of_input();
    let stage = Stage::new(&script);
    let client = stage.connect().await.unwrap();
    let exit = within(client.close()).await.unwrap();
    assert_eq!(exit, Some(ExitStatus::with_signal(SIGKILL)));
    stage.assert_gone();
}

#[tokio::test]
async fn promise_13_grandchild_that_holds_stdout_is_killed_with_the_cli() {
    for script in [
        Script::new().grandchild(),
        Script::new().stubborn_grandchild(),
    ] {
        let script = script.accept().expect_prompt().turn("42");
        let stage = Stage::new(&script);
        let query = query("What is 15 + 27?").options(stage.options());
        let answer = within(async { query.await?.text().await }).await.unwrap();
        assert_eq!(answer, "42");
        stage.assert_gone();
    }
}

#[tokio::test]
async fn promise_13_grandchild_does_not_hide_the_exit_of_the_cli() {
    let script = Script::new()
        .stubborn_grandchild()
        .accept()
        .expect_prompt()
        .state("running")
        .kill(SIGKILL);
    let stage = Stage::new(&script);
    let query = query("What is 15 + 27?").options(stage.options());
    let error = within(async { query.await?.text().await })
        .await
        .unwrap_err();
    assert_eq!(error.exit_status(), Some(ExitStatus::with_signal(SIGKILL)));
    stage.assert_gone();
}
