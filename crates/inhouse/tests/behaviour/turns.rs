//! The boundaries of a turn.

use futures_util::StreamExt as _;
use inhouse::message::{Message, Prompt};
use inhouse::{Client, ErrorKind, ExitStatus, Options, Turn};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::json;

use crate::support::{connect, failed, result_with, summary};

/// All messages of a turn.
async fn read(mut turn: Turn<'_>) -> Vec<String> {
    let mut read = Vec::new();
    while let Some(message) = turn.next().await {
        read.push(summary(&message.expect("the session is alive")));
    }
    read
}

async fn say(client: &mut Client, prompt: &str) -> Vec<String> {
    read(client.send(prompt).await.expect("the session is alive")).await
}

/// Runs a turn of the prompt "mine", which the CLI answers so; returns its messages.
async fn turn_of(cli: impl AsyncFnOnce(&mut FakeCli)) -> Vec<String> {
    let host = async |client: &mut Client| Ok(say(client, "mine").await);
    FakeCli::play(Options::new(), host, cli).await.0
}

#[tokio::test(start_paused = true)]
async fn turn_is_a_stream_that_ends_with_its_result() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        let turn = client.send("one").await.unwrap();
        let messages: Vec<_> = turn.map(|message| message.unwrap().tag()).collect().await;
        assert_eq!(messages, ["system/init", "assistant", "result/success"]);
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.turn("1").await;
        cli.assistant("after the turn").await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn prompt_that_starts_no_turn_is_not_waited_for() {
    let news = || Prompt::from("It rains.").should_query(false);
    FakeCli::play(
        Options::new(),
        async |client| {
            let turn = client.send(news()).await?;
            assert_eq!(read(turn).await, Vec::<String>::new());
            let error = failed(client.send(news()).await?.text().await);
            assert!(error.to_string().contains("should_query"), "{error}");
            let mut turn = client.send("An umbrella?").await?;
            turn.steer(news()).await?;
            assert_eq!(turn.text().await?, "Yes.");
            Ok(())
        },
        async |cli| {
            for _ in 0..4 {
                cli.expect_prompt().await;
            }
            cli.turn("Yes.").await;
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn session_id_is_that_of_the_last_turn() {
    let (transport, mut cli) = FakeCli::new();
    let first = cli.session_id().to_owned();
    let host = async {
        let mut client = connect(transport).await;
        assert_eq!(client.session_id(), None);
        say(&mut client, "one").await;
        assert_eq!(client.session_id(), Some(first));
        say(&mut client, "/clear").await;
        let control = client.control().clone();
        assert_eq!(control.session_id().as_deref(), Some("another"));
        client.close().await.unwrap();
        assert_eq!(control.session_id().as_deref(), Some("another"));
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.turn("1").await;
        cli.expect_prompt().await;
        cli.send(json!({"type": "system", "subtype": "init", "session_id": "another"}))
            .await;
        cli.result("").await;
        cli.expect_end_of_input().await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn turn_ends_at_its_result() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        let mut turn = client.send("one").await.unwrap();
        let mut last = None;
        while let Some(message) = turn.next().await {
            last = Some(message.unwrap());
        }
        assert!(matches!(last, Some(Message::Result(_))));
        assert!(turn.next().await.is_none(), "the stream has ended");
        assert!(turn.next().await.is_none());
        client.close().await.unwrap();
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.turn("1").await;
        cli.assistant("this belongs to no turn").await;
        // The session runs again, so `close` interrupts it.
        drop(cli.expect_request("interrupt").await);
        cli.expect_end_of_input().await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn turns_follow_each_other() {
    FakeCli::play(
        Options::new(),
        async |client| {
            assert_eq!(
                say(client, "one").await,
                ["system init", "said 1", "result 1"]
            );
            assert_eq!(
                say(client, "two").await,
                ["system init", "said 2", "result 2"]
            );
            assert_eq!(client.send("three").await?.text().await?, "3");
            Ok(())
        },
        async |cli| {
            for (prompt, answer) in [("one", "1"), ("two", "2"), ("three", "3")] {
                assert_eq!(cli.expect_prompt().await.text(), prompt);
                cli.turn(answer).await;
            }
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn turn_id_is_the_id_of_the_prompt() {
    let (id, got) = FakeCli::play(
        Options::new(),
        async |client| {
            let turn = client.send("one").await?;
            let id = turn.prompt_id().to_owned();
            turn.finish().await?;
            Ok(id)
        },
        async |cli| {
            let prompt = cli.expect_prompt().await;
            cli.turn("1").await;
            prompt.uuid().map(str::to_owned)
        },
    )
    .await;
    assert_eq!(Some(id), got);
}

#[tokio::test(start_paused = true)]
async fn promise_20_result_of_another_prompt_does_not_end_the_turn() {
    let read = turn_of(async |cli| {
        cli.expect_prompt().await;
        let other = json!({"result": "other", "user_message_uuid": "another-prompt"});
        cli.send(result_with(cli, other)).await;
        cli.turn("mine").await;
    })
    .await;
    assert_eq!(read, ["system init", "said mine", "result mine"]);
}

#[tokio::test(start_paused = true)]
async fn result_of_several_prompts_ends_the_turn_of_each() {
    let read = turn_of(async |cli| {
        let prompt = cli.expect_prompt().await;
        let both = json!({
            "result": "both",
            "user_message_uuid": "another-prompt",
            "user_message_uuids": ["another-prompt", prompt.uuid()],
        });
        cli.send(result_with(cli, both)).await;
    })
    .await;
    assert_eq!(read, ["result both"]);
}

#[tokio::test(start_paused = true)]
async fn promise_20_result_of_background_work_does_not_end_the_turn() {
    let read = turn_of(async |cli| {
        cli.expect_prompt().await;
        let background = json!({"result": "task", "origin": {"kind": "task-notification"}});
        cli.send(result_with(cli, background)).await;
        let mine = json!({"result": "mine", "origin": {"kind": "human"}});
        cli.send(result_with(cli, mine)).await;
    })
    .await;
    assert_eq!(read, ["result task", "result mine"]);
}

#[tokio::test(start_paused = true)]
async fn result_without_prompt_ids_ends_the_turn() {
    FakeCli::play(
        Options::new(),
        async |client| {
            assert_eq!(say(client, "one").await, ["result 1"]);
            assert_eq!(say(client, "two").await, ["result 2"]);
            Ok(())
        },
        async |cli| {
            for answer in ["1", "2"] {
                cli.expect_prompt().await;
                cli.send(result_with(cli, json!({"result": answer}))).await;
            }
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn misshapen_result_ends_the_turn_as_unknown() {
    FakeCli::play(
        Options::new(),
        async |client| {
            assert_eq!(say(client, "one").await, ["result "]);
            let error = failed(client.send("two").await?.finish().await);
            assert_eq!(error.kind(), ErrorKind::Protocol);
            assert!(error.to_string().contains("shape"), "{error}");
            assert_eq!(client.send("three").await?.text().await?, "3");
            Ok(())
        },
        async |cli| {
            for _ in 0..2 {
                cli.expect_prompt().await;
                cli.send(json!({"type": "result", "is_error": [], "subtype": 7}))
                    .await;
            }
            let prompt = cli.expect_prompt().await;
            let good = json!({"result": "3", "user_message_uuid": prompt.uuid()});
            cli.send(result_with(cli, good)).await;
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn gap_is_a_message_of_the_turn() {
    let read = turn_of(async |cli| {
        cli.expect_prompt().await;
        cli.send_bytes(b"Warning: something was printed\n").await;
        cli.result("mine").await;
    })
    .await;
    assert_eq!(read, ["gap not_json 1", "result mine"]);
}

#[tokio::test(start_paused = true)]
async fn reading_a_finished_turn_is_an_error() {
    let (error, ()) = FakeCli::play(
        Options::new(),
        async |client| {
            let mut turn = client.send("one").await?;
            while turn.next().await.is_some() {}
            Ok(failed(turn.finish().await))
        },
        async |cli| {
            cli.expect_prompt().await;
            cli.turn("1").await;
        },
    )
    .await;
    assert_eq!(error.kind(), ErrorKind::Protocol);
}

#[tokio::test(start_paused = true)]
async fn failed_turn_leaves_the_session_alive() {
    FakeCli::play(
        Options::new(),
        async |client| {
            let error = failed(client.send("one").await?.text().await);
            assert_eq!(error.kind(), ErrorKind::Failed);
            assert_eq!(client.send("two").await?.text().await?, "2");
            Ok(())
        },
        async |cli| {
            cli.expect_prompt().await;
            cli.error_result("error_during_execution", &["overloaded"])
                .await;
            cli.expect_prompt().await;
            cli.turn("2").await;
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn turn_fails_once_when_the_cli_exits_and_then_ends() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        let mut turn = client.send("one").await.unwrap();
        assert_eq!(summary(&turn.next().await.unwrap().unwrap()), "said half");
        let error = failed(turn.next().await.expect("the exit is reported"));
        assert_eq!(error.kind(), ErrorKind::Exited);
        assert!(turn.next().await.is_none());
        failed(client.send("two").await)
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.assistant("half").await;
        cli.exit(ExitStatus::with_signal(9));
    };
    let (error, ()) = join(host, cli).await;
    assert_eq!(error.kind(), ErrorKind::Exited);
    assert_eq!(error.exit_status(), Some(ExitStatus::with_signal(9)));
}

#[tokio::test(start_paused = true)]
async fn send_after_the_cli_exited_fails_with_its_status() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        client.send("one").await.unwrap().finish().await.unwrap();
        let end = client
            .messages()
            .next()
            .await
            .expect("the exit is reported");
        assert_eq!(failed(end).kind(), ErrorKind::Exited);
        failed(client.send("two").await)
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.turn("1").await;
        cli.exit(ExitStatus::with_code(7));
    };
    let (error, ()) = join(host, cli).await;
    assert_eq!(error.exit_status(), Some(ExitStatus::with_code(7)));
}
