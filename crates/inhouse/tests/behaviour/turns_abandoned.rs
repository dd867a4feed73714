//! Messages of an abandoned turn do not appear in the next one.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use inhouse::{Client, ErrorKind, ExitStatus};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::json;
use tokio::sync::oneshot;

use crate::support::{connect, failed, result_with, settle, settled, summary};

/// All messages of the turn that answers `prompt`.
async fn say(client: &mut Client, prompt: &str) -> Vec<String> {
    let mut turn = client.send(prompt).await.expect("the session is alive");
    let mut read = Vec::new();
    while let Some(message) = turn.next().await {
        read.push(summary(&message.expect("the session is alive")));
    }
    read
}

#[tokio::test(start_paused = true)]
async fn promise_20_rest_of_an_abandoned_turn_does_not_leak() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        let mut turn = client.send("one").await.unwrap();
        assert_eq!(summary(&turn.next().await.unwrap().unwrap()), "said 1a");
        drop(turn);
        assert_eq!(say(&mut client, "two").await, ["said 2", "result 2"]);
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.assistant("1a").await;
        cli.assistant("1b").await;
        cli.send_bytes(b"no JSON\n").await;
        cli.result("1").await;
        cli.expect_prompt().await;
        cli.assistant("2").await;
        cli.result("2").await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn promise_20_late_result_of_an_abandoned_turn_does_not_end_the_next() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        drop(client.send("one").await.unwrap());
        let control = client.control().clone();
        let (read, interrupted) = tokio::join!(say(&mut client, "two"), control.interrupt());
        interrupted.unwrap();
        assert_eq!(read, ["said 2", "result 2"]);
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        let interrupt = cli.expect_request("interrupt").await;
        cli.assistant("1").await;
        interrupt.succeed_empty().await;
        cli.error_result("error_during_execution", &["interrupted"])
            .await;
        assert_eq!(cli.expect_prompt().await.text(), "two");
        cli.assistant("2").await;
        cli.result("2").await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn promise_20_abandoned_turn_behind_a_finished_one_does_not_leak() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        say(&mut client, "one").await;
        // The CLI is idle now: the first run has ended, and its state message is among the messages.
        settled(client.control()).await;
        drop(client.send("two").await.unwrap());
        assert_eq!(
            say(&mut client, "three").await,
            ["system init", "said 3", "result 3"]
        );
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.turn("1").await;
        settle(&mut cli).await;
        cli.expect_prompt().await;
        cli.turn("2").await;
        assert_eq!(cli.expect_prompt().await.text(), "three");
        cli.turn("3").await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn promise_20_dropped_send_future_does_not_leak() {
    let (transport, mut cli) = FakeCli::new();
    let (allow_second, second_may_come) = oneshot::channel();
    let host = async {
        let mut client = connect(transport).await;
        {
            let mut sending = pin!(client.send("one"));
            // Polled until the prompt is on its way to the CLI.
            poll_fn(|cx| {
                assert!(sending.as_mut().poll(cx).is_pending());
                Poll::Ready(())
            })
            .await;
        }
        second_may_come.await.unwrap();
        assert_eq!(say(&mut client, "two").await, ["said 2", "result 2"]);
    };
    let cli = async move {
        cli.accept().await;
        assert_eq!(cli.expect_prompt().await.text(), "one");
        cli.assistant("1").await;
        cli.result("1").await;
        allow_second.send(()).unwrap();
        assert_eq!(cli.expect_prompt().await.text(), "two");
        cli.assistant("2").await;
        cli.result("2").await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn promise_20_results_of_other_prompts_do_not_end_an_abandoned_turn() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        drop(client.send("one").await.unwrap());
        assert_eq!(say(&mut client, "two").await, ["result 2"]);
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.state("running").await;
        let other = json!({"result": "other", "user_message_uuid": "another-prompt"});
        cli.send(result_with(&cli, other)).await;
        let task = json!({"result": "task", "origin": {"kind": "task-notification"}});
        cli.send(result_with(&cli, task)).await;
        cli.assistant("1").await;
        cli.result("1").await;
        cli.expect_prompt().await;
        cli.result("2").await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn promise_20_abandoned_turn_of_an_old_cli_does_not_leak() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        drop(client.send("one").await.unwrap());
        assert_eq!(say(&mut client, "two").await, ["result 2"]);
    };
    let cli = async move {
        cli.accept().await;
        for answer in ["1", "2"] {
            cli.expect_prompt().await;
            cli.send(result_with(&cli, json!({"result": answer}))).await;
        }
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn cancelled_prompt_has_no_result_to_wait_for() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        client.control().send("first").await.unwrap();
        let turn = client.send("queued").await.unwrap();
        let id = turn.prompt_id().to_owned();
        drop(turn);
        assert!(client.control().cancel_prompt(&id).await.unwrap());
        assert_eq!(say(&mut client, "last").await, ["said 3", "result 3"]);
    };
    let cli = async move {
        cli.accept().await;
        let first = cli.expect_prompt().await;
        cli.state("running").await;
        let queued = cli.expect_prompt().await;
        let cancel = cli.expect_request("cancel_async_message").await;
        assert_eq!(cancel.body()["message_uuid"].as_str(), queued.uuid());
        cancel.succeed(json!({"cancelled": true})).await;
        let result = json!({"result": "1", "user_message_uuid": first.uuid()});
        cli.send(result_with(&cli, result)).await;
        cli.state("idle").await;
        let last = cli.expect_prompt().await;
        cli.assistant("3").await;
        let result = json!({"result": "3", "user_message_uuid": last.uuid()});
        cli.send(result_with(&cli, result)).await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn exit_during_an_abandoned_turn_fails_the_next_send() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        drop(client.send("one").await.unwrap());
        let first = failed(client.send("two").await);
        let second = failed(client.send("three").await);
        (first.kind(), second.kind())
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.assistant("1").await;
        cli.exit(ExitStatus::with_signal(9));
    };
    let (kinds, ()) = join(host, cli).await;
    assert_eq!(kinds, (ErrorKind::Exited, ErrorKind::Exited));
}
