//! Queries whose prompts come from a stream.

use futures_util::StreamExt as _;
use futures_util::stream;
use inhouse::message::Prompt;
use inhouse::{Options, Query, query_stream};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::json;
use tokio::sync::mpsc;

use crate::support::{failed, idle, pass, read_to_end, result_with, seconds, summary, timed};

/// Returns a stream that ends when its sender is dropped.
fn channel() -> (
    mpsc::UnboundedSender<&'static str>,
    impl stream::Stream<Item = &'static str> + Send + 'static,
) {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let prompts = stream::poll_fn(move |cx| receiver.poll_recv(cx));
    (sender, prompts)
}

/// Runs a query until its input ends; returns what it read, in short form.
async fn run(query: Query, cli: impl AsyncFnOnce(&mut FakeCli)) -> Vec<String> {
    let host = async |transport| {
        let mut messages = query.transport(transport).await?;
        Ok(read_to_end(&mut messages).await)
    };
    let (read, ()) = FakeCli::play_with(host, async |mut fake| {
        fake.accept().await;
        cli(&mut fake).await;
        fake.expect_end_of_input().await;
    })
    .await;
    read
}

#[tokio::test(start_paused = true)]
async fn input_ends_after_the_stream_and_its_last_turn() {
    let (sender, prompts) = channel();
    sender.send("one").unwrap();
    let read = run(query_stream(prompts), async |cli| {
        assert_eq!(cli.expect_prompt().await.text(), "one");
        cli.turn("1").await;
        // The session is idle, and the stream has not ended.
        idle().await;
        sender.send("two").unwrap();
        assert_eq!(cli.expect_prompt().await.text(), "two");
        drop(sender);
        // The stream has ended, and the turn has not.
        idle().await;
        cli.turn("2").await;
    })
    .await;
    let results = read.iter().filter(|line| line.starts_with("result"));
    assert_eq!(results.collect::<Vec<_>>(), ["result 1", "result 2"]);
}

#[tokio::test(start_paused = true)]
async fn input_ends_when_the_stream_ends_after_its_last_turn() {
    let (sender, prompts) = channel();
    sender.send("one").unwrap();
    let read = run(query_stream(prompts), async |cli| {
        cli.expect_prompt().await;
        cli.turn("1").await;
        idle().await;
        drop(sender);
    })
    .await;
    assert_eq!(read.last().unwrap(), "result 1");
}

#[tokio::test(start_paused = true)]
async fn every_queued_prompt_of_a_cli_without_states_is_answered() {
    let read = run(query_stream(stream::iter(["one", "two"])), async |cli| {
        cli.expect_prompt().await;
        cli.expect_prompt().await;
        for answer in ["1", "2"] {
            cli.assistant(answer).await;
            let result = result_with(cli, json!({"result": answer}));
            cli.send(result).await;
        }
    })
    .await;
    assert_eq!(read, ["said 1", "result 1", "said 2", "result 2"]);
}

#[tokio::test(start_paused = true)]
async fn input_ends_at_once_if_the_stream_is_empty() {
    let read = run(query_stream(stream::empty::<Prompt>()), async |_| {}).await;
    assert!(read.is_empty(), "{read:?}");
}

#[tokio::test(start_paused = true)]
async fn input_ends_if_the_stream_panics() {
    let prompts = stream::iter([Some("one"), None]).map(|prompt| prompt.expect("a prompt"));
    let read = run(query_stream(prompts), async |cli| {
        cli.expect_prompt().await;
        cli.turn("1").await;
    })
    .await;
    assert_eq!(read.last().unwrap(), "result 1");
}

#[tokio::test(start_paused = true)]
async fn stream_is_dropped_with_its_session() {
    let (transport, mut cli) = FakeCli::new();
    let (sender, prompts) = channel();
    let host = async {
        let messages = query_stream(prompts).transport(transport).await.unwrap();
        drop(messages);
        sender.closed().await;
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_end_of_input().await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn input_ends_after_a_prompt_that_starts_no_turn() {
    for has_turn in [false, true] {
        let context = Prompt::from("context").should_query(false);
        let turn = has_turn.then(|| Prompt::from("one"));
        let prompts = stream::iter(turn.into_iter().chain([context]));
        let read = run(query_stream(prompts), async |cli| {
            if has_turn {
                cli.expect_prompt().await;
                cli.turn("1").await;
            }
            assert_eq!(cli.expect_prompt().await.text(), "context");
        })
        .await;
        assert_eq!(read.contains(&"result 1".to_owned()), has_turn, "{read:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn input_ends_after_the_ceiling_if_one_result_answers_two_prompts() {
    let options = Options::new().background_ceiling(seconds(30));
    let query = query_stream(stream::iter(["one", "two"])).options(options);
    // Without session states, as CLI 2.1.197.
    let read = run(query, async |cli| {
        cli.expect_prompt().await;
        cli.expect_prompt().await;
        cli.assistant("both").await;
        cli.send(result_with(cli, json!({"result": "both"}))).await;
        let ((), waited) = timed(cli.expect_end_of_input()).await;
        assert_eq!(waited.as_secs(), 30);
    })
    .await;
    assert_eq!(read, ["said both", "result both"]);
}

#[tokio::test(start_paused = true)]
async fn ceiling_does_not_end_the_turn_of_a_queued_prompt() {
    let options = Options::new().background_ceiling(seconds(30));
    let query = query_stream(stream::iter(["one", "two"])).options(options);
    let read = run(query, async |cli| {
        cli.expect_prompt().await;
        cli.expect_prompt().await;
        cli.send(result_with(cli, json!({"result": "1"}))).await;
        cli.assistant("2").await;
        pass(seconds(60)).await;
        let id = cli.ask(json!({"subtype": "unknown"})).await;
        cli.expect_answer(&id).await;
        cli.send(result_with(cli, json!({"result": "2"}))).await;
    })
    .await;
    assert_eq!(read, ["result 1", "said 2", "result 2"]);
}

#[tokio::test(start_paused = true)]
async fn error_of_a_prompt_that_is_not_sent_is_the_last_item() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        // More than fits into the pipe of the fake.
        let prompts = stream::iter(["x".repeat(300_000), "never sent".to_owned()]);
        let query = query_stream(prompts).options(Options::new().control_timeout(seconds(5)));
        let mut messages = query.transport(transport).await.unwrap();
        let mut read = Vec::new();
        loop {
            match messages
                .next()
                .await
                .expect("the stream ends with an error")
            {
                Ok(message) => read.push(summary(&message)),
                error => break (read, failed(error), messages.next().await.is_none()),
            }
        }
    };
    let cli = async move {
        cli.accept().await;
        pass(seconds(10)).await;
        cli.expect_prompt().await;
        cli.send(result_with(&cli, json!({"result": "1"}))).await;
        cli.expect_end_of_input().await;
    };
    let ((read, error, has_ended), ()) = join(host, cli).await;
    assert_eq!(read, ["result 1"]);
    assert!(error.is_timeout(), "{error}");
    assert!(has_ended);
}
