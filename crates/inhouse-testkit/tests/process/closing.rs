//! Closing a session.

use inhouse::{ErrorKind, ExitStatus};
use inhouse_testkit::Script;

use crate::support::{FakeProcess, until_sigkill, within};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn promise_14_close_works_from_another_task() {
    let script = Script::new().accept().expect_prompt().state("running");
    let fake = FakeProcess::new(&script.answer("interrupt", None));
    let mut client = fake.connect().await.unwrap();
    let control = client.control().clone();
    let turn = within(client.send("take your time")).await.unwrap();
    let closing = tokio::spawn(async move { control.close().await });
    let error = within(turn.text()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
    let exit = within(closing).await.unwrap().unwrap();
    assert_eq!(exit, Some(ExitStatus::with_code(0)));
    fake.assert_gone();
}

#[tokio::test]
async fn promise_14_concurrent_closes_all_return() {
    let fake = FakeProcess::new(&Script::new().accept());
    let client = fake.connect().await.unwrap();
    let control = client.control().clone();
    let exits = within(async { tokio::join!(control.close(), client.close()) }).await;
    assert_eq!(exits.0.unwrap(), Some(ExitStatus::with_code(0)));
    assert_eq!(exits.1.unwrap(), Some(ExitStatus::with_code(0)));
    let late = within(control.close()).await.unwrap();
    assert_eq!(late, Some(ExitStatus::with_code(0)));
    fake.assert_gone();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn promise_14_dropped_close_future_still_closes() {
    let script = Script::new()
        .ignore_terminate()
        .accept()
        .ignore_end_of_input();
    let fake = FakeProcess::new(&script);
    let client = fake.connect_with(until_sigkill()).await.unwrap();
    let control = client.control().clone();
    {
        let closing = control.close();
        tokio::pin!(closing);
        let first = std::future::poll_fn(|cx| std::task::Poll::Ready(closing.as_mut().poll(cx)));
        assert!(first.await.is_pending());
    }
    fake.assert_gone();
    assert_eq!(
        within(control.interrupt()).await.unwrap_err().kind(),
        ErrorKind::Closed
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn promise_13_dropped_client_kills_its_cli() {
    let script = Script::new()
        .ignore_terminate()
        .stubborn_grandchild()
        .accept()
        .ignore_end_of_input();
    for script in [script, Script::new().accept()] {
        let fake = FakeProcess::new(&script);
        drop(fake.connect_with(until_sigkill()).await.unwrap());
        fake.assert_gone();
    }
}

#[test]
fn promise_13_runtime_shutdown_kills_the_cli() {
    let script = Script::new()
        .ignore_terminate()
        .stubborn_grandchild()
        .accept()
        .ignore_end_of_input();
    let fake = FakeProcess::new(&script);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let client = runtime
        .block_on(fake.connect_with(until_sigkill()))
        .unwrap();
    drop(runtime);
    fake.assert_gone();
    drop(client);
}
