//! What every test here needs: two sides, a deadline, and a short form of what was read.

use std::future::{Future, pending};
use std::time::Duration;

use inhouse::message::Message;
use inhouse::{Client, Error, MessageStream, Options, Result};
use inhouse_testkit::{FakeCli, FakeTransport};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

/// A day on the paused clock: it passes as soon as both sides wait for ever.
const DEADLINE: Duration = Duration::from_secs(24 * 60 * 60);

/// Plays both sides of a conversation.
pub(crate) async fn together<H: Future, C: Future>(host: H, cli: C) -> (H::Output, C::Output) {
    timeout(DEADLINE, async { tokio::join!(host, cli) })
        .await
        .expect("one side waits for something that never comes")
}

pub(crate) async fn connect(transport: FakeTransport) -> Client {
    connect_as(Options::new(), transport).await
}

pub(crate) async fn connect_as(options: Options, transport: FakeTransport) -> Client {
    Client::connect_with(options, transport)
        .await
        .expect("the fake accepts the session")
}

/// The error of something that must fail.
pub(crate) fn failed<T>(outcome: Result<T>) -> Error {
    outcome.err().expect("this cannot succeed")
}

/// How long something took, on the paused clock.
pub(crate) async fn timed<F: Future>(future: F) -> (F::Output, Duration) {
    let start = Instant::now();
    let output = future.await;
    (output, start.elapsed())
}

/// Resolves when every other task waits: only then does the paused clock advance.
pub(crate) async fn idle() {
    timeout(Duration::from_millis(1), pending::<()>())
        .await
        .expect_err("it is pending for ever");
}

pub(crate) const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A message in a few words: its type and what tells it from others of that type.
pub(crate) fn sketch(message: &Message) -> String {
    let value = serde_json::to_value(message).expect("every message has a JSON form");
    let kind = value["type"].as_str().unwrap_or_default();
    match kind {
        "assistant" => format!("said {}", text(&value["message"]["content"][0]["text"])),
        "result" => format!("result {}", text(&value["result"])),
        "system" => format!("system {}", text(&value["subtype"])),
        "inhouse_gap" => format!("gap {} {}", text(&value["reason"]), value["lines"]),
        other => other.to_owned(),
    }
}

/// Everything to the end of a stream that ends well.
pub(crate) async fn read_to_end(messages: &mut MessageStream) -> Vec<String> {
    let mut read = Vec::new();
    while let Some(message) = messages.next().await {
        read.push(sketch(&message.expect("the stream ends well")));
    }
    read
}

/// So many messages.
pub(crate) async fn read(messages: &mut MessageStream, count: usize) -> Vec<String> {
    let mut read = Vec::new();
    while read.len() < count {
        let message = messages.next().await.expect("the stream goes on");
        read.push(sketch(&message.expect("the session lives")));
    }
    read
}

/// A successful result, with these members besides, or instead.
pub(crate) fn result_with(cli: &FakeCli, members: Value) -> Value {
    let mut line = json!({
        "type": "result",
        "subtype": "success",
        "is_error": false,
        "result": "",
        "session_id": cli.session_id(),
    });
    for (name, value) in members.as_object().into_iter().flatten() {
        line[name] = value.clone();
    }
    line
}

/// Waits until everything that the CLI has said so far has reached the host.
///
/// To be played against [`settled`].
pub(crate) async fn settle(cli: &mut FakeCli) {
    cli.expect_request("set_model").await.succeed_empty().await;
}

/// The host's side of [`settle`].
pub(crate) async fn settled(control: &inhouse::Control) {
    control.set_model(None).await.expect("the fake agrees");
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
