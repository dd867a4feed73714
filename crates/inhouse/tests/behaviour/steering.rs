//! Prompts sent into a running turn.

use inhouse::message::{Message, Priority, Prompt};
use inhouse::{ErrorKind, SteerState};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::{Value, json};

use crate::resume::{Machine, OTHER, SESSION, user};
use crate::support::{connect, failed, result_with, summary};

fn change(prompt: &str, state: &str) -> Value {
    json!({"type": "command_lifecycle", "command_uuid": prompt, "state": state})
}

/// Expects a prompt and returns its id.
async fn prompt(cli: &mut FakeCli) -> String {
    let prompt = cli.expect_prompt().await;
    prompt.uuid().expect("a prompt has an id").to_owned()
}

/// Sends the changes of a prompt's state.
async fn changes(cli: &mut FakeCli, prompt: &str, states: &[&str]) {
    for state in states {
        cli.send(change(prompt, state)).await;
    }
}

/// Sends the result that answers a prompt.
async fn answer(cli: &mut FakeCli, prompt: &str, text: &str) {
    let result = json!({"result": text, "user_message_uuid": prompt});
    cli.send(result_with(cli, result)).await;
}

#[tokio::test(start_paused = true)]
async fn prompt_that_joins_a_turn_is_answered_by_its_result() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        let mut turn = client.send("one").await.unwrap();
        let receipt = turn.steer("more").await.unwrap();
        assert_eq!(receipt.state(), SteerState::Sent);
        let mut read = Vec::new();
        let mut states = Vec::new();
        while let Some(message) = turn.next().await {
            read.push(summary(&message.unwrap()));
            states.push(receipt.state());
        }
        assert_eq!(
            read,
            [
                "command_lifecycle",
                "command_lifecycle",
                "command_lifecycle",
                "said 1",
                "command_lifecycle",
                "result 1"
            ]
        );
        assert_eq!(states[1..3], [SteerState::Queued, SteerState::Joined]);
        assert_eq!(receipt.state(), SteerState::Joined);
        assert_eq!(client.send("two").await.unwrap().text().await.unwrap(), "2");
    };
    let cli = async move {
        cli.accept().await;
        let one = prompt(&mut cli).await;
        changes(&mut cli, &one, &["started"]).await;
        let more = prompt(&mut cli).await;
        changes(&mut cli, &more, &["queued", "started"]).await;
        cli.assistant("1").await;
        changes(&mut cli, &more, &["completed"]).await;
        answer(&mut cli, &one, "1").await;
        changes(&mut cli, &one, &["completed"]).await;
        let two = prompt(&mut cli).await;
        answer(&mut cli, &two, "2").await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn turn_includes_the_turn_of_a_prompt_that_did_not_join() {
    for (priority, outcome, reason) in [
        (Priority::Later, "completed", "completed"),
        (Priority::Now, "cancelled", "aborted_tools"),
    ] {
        let (transport, mut cli) = FakeCli::new();
        let wire = priority.to_string();
        let host = async {
            let mut client = connect(transport).await;
            let mut turn = client.send("one").await.unwrap();
            let more = Prompt::from("more").priority(priority);
            let receipt = turn.steer(more).await.unwrap();
            assert_eq!(turn.text().await.unwrap(), "more");
            assert_eq!(receipt.state(), SteerState::OwnTurn);
            assert_eq!(client.send("two").await.unwrap().text().await.unwrap(), "2");
        };
        let cli = async move {
            cli.accept().await;
            let one = prompt(&mut cli).await;
            changes(&mut cli, &one, &["started"]).await;
            let more = cli.expect_prompt().await;
            assert_eq!(more.line()["priority"], wire);
            let more = more.uuid().expect("an id").to_owned();
            changes(&mut cli, &more, &["queued"]).await;
            let result = json!({
                "result": "1", "terminal_reason": reason, "user_message_uuid": one,
            });
            cli.send(result_with(&cli, result)).await;
            changes(&mut cli, &one, &[outcome]).await;
            changes(&mut cli, &more, &["started"]).await;
            answer(&mut cli, &more, "more").await;
            changes(&mut cli, &more, &["completed"]).await;
            let two = prompt(&mut cli).await;
            answer(&mut cli, &two, "2").await;
        };
        join(host, cli).await;
    }
}

#[tokio::test(start_paused = true)]
async fn cancelled_steering_leaves_the_result_of_the_turn() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        let mut turn = client.send("one").await.unwrap();
        let receipt = turn.steer("more").await.unwrap();
        assert_eq!(turn.text().await.unwrap(), "1");
        assert_eq!(receipt.state(), SteerState::Cancelled);
    };
    let cli = async move {
        cli.accept().await;
        let one = prompt(&mut cli).await;
        let more = prompt(&mut cli).await;
        changes(&mut cli, &more, &["queued"]).await;
        answer(&mut cli, &one, "1").await;
        changes(&mut cli, &more, &["cancelled"]).await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn abandoned_turn_is_discarded_with_the_turn_of_its_steering() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        let mut turn = client.send("one").await.unwrap();
        turn.steer("more").await.unwrap();
        drop(turn);
        let mut turn = client.send("two").await.unwrap();
        let mut said = Vec::new();
        while let Some(message) = turn.next().await {
            if let Message::Assistant(message) = message.unwrap() {
                said.push(message.text().into_owned());
            }
        }
        assert_eq!(said, ["2"]);
    };
    let cli = async move {
        cli.accept().await;
        let one = prompt(&mut cli).await;
        let more = prompt(&mut cli).await;
        cli.state("running").await;
        for (id, text) in [(&one, "1"), (&more, "more")] {
            cli.assistant(text).await;
            answer(&mut cli, id, text).await;
        }
        cli.state("idle").await;
        let two = prompt(&mut cli).await;
        cli.assistant("2").await;
        answer(&mut cli, &two, "2").await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn result_without_prompt_ids_ends_a_steered_turn() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        let mut turn = client.send("one").await.unwrap();
        let receipt = turn.steer("more").await.unwrap();
        assert_eq!(turn.text().await.unwrap(), "1");
        assert_eq!(receipt.state(), SteerState::Sent);
    };
    let cli = async move {
        cli.accept().await;
        prompt(&mut cli).await;
        prompt(&mut cli).await;
        cli.send(result_with(&cli, json!({"result": "1"}))).await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn steering_fails_after_the_session_has_ended() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        let control = client.control().clone();
        let mut turn = client.send("one").await.unwrap();
        control.close().await.unwrap();
        let error = failed(turn.steer("more").await);
        assert_eq!(error.kind(), ErrorKind::Closed);
    };
    let cli = async move {
        cli.accept().await;
        prompt(&mut cli).await;
        cli.ignore("interrupt");
        cli.expect_end_of_input().await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn steering_continues_a_prompt_that_was_cut_off_under_its_new_id() {
    let machine = Machine::new();
    machine.keep(SESSION, None, &[user(OTHER, "Hello")]).await;
    let (id, sent) = FakeCli::play(
        machine.options().resume(SESSION),
        async |client| {
            let mut turn = client.send("one").await?;
            let receipt = turn.steer(Prompt::from("Hello").uuid(OTHER)).await?;
            assert_eq!(turn.text().await?, "Continued.");
            Ok(receipt.prompt_id().to_owned())
        },
        async |cli| {
            let one = prompt(cli).await;
            let continued = prompt(cli).await;
            for (id, text) in [(&one, "1"), (&continued, "Continued.")] {
                answer(cli, id, text).await;
            }
            continued
        },
    )
    .await;
    assert_ne!(id, OTHER);
    assert_eq!(id, sent);
}
