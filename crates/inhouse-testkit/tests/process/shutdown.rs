//! A CLI that does not exit, and its grandchildren.

use inhouse::{ExitStatus, query};
use inhouse_testkit::Script;

use crate::support::{FakeProcess, until_sigkill, until_sigterm, within};

const SIGKILL: i32 = 9;
const SIGTERM: i32 = 15;

#[tokio::test]
async fn promise_14_close_ends_a_cli_that_ignores_the_end_of_input() {
    for deaf in [Script::new().ignore_end_of_input(), Script::new().hang()] {
        let fake = FakeProcess::new(&Script::new().accept().then(deaf));
        let client = fake.connect_with(until_sigterm()).await.unwrap();
        let exit = within(client.close()).await.unwrap();
        assert_eq!(exit, Some(ExitStatus::with_signal(SIGTERM)));
        fake.assert_gone();
    }
}

#[tokio::test]
async fn promise_14_close_ends_a_cli_that_ignores_everything() {
    let script = Script::new()
        .ignore_terminate()
        .stubborn_grandchild()
        .accept()
        .ignore_end_of_input();
    let fake = FakeProcess::new(&script);
    let client = fake.connect_with(until_sigkill()).await.unwrap();
    let exit = within(client.close()).await.unwrap();
    assert_eq!(exit, Some(ExitStatus::with_signal(SIGKILL)));
    fake.assert_gone();
}

#[tokio::test]
async fn promise_13_grandchild_that_holds_stdout_is_killed_with_the_cli() {
    for script in [
        Script::new().grandchild(),
        Script::new().stubborn_grandchild(),
    ] {
        let script = script.accept().expect_prompt().turn("42");
        let fake = FakeProcess::new(&script);
        let query = query("What is 15 + 27?").options(fake.options());
        let answer = within(async { query.await?.text().await }).await.unwrap();
        assert_eq!(answer, "42");
        fake.assert_gone();
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
    let fake = FakeProcess::new(&script);
    let query = query("What is 15 + 27?").options(fake.options());
    let error = within(async { query.await?.text().await })
        .await
        .unwrap_err();
    assert_eq!(error.exit_status(), Some(ExitStatus::with_signal(SIGKILL)));
    fake.assert_gone();
}
