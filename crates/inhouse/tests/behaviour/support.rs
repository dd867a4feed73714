//! Helpers for both sides of a session: connect, measure, read messages in short form.

use std::future::{Future, pending};
use std::time::Duration;

use inhouse::message::Message;
use inhouse::{Client, Error, MessageStream, Options, Result};
use inhouse_testkit::{FakeCli, FakeTransport};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

pub(crate) async fn connect(transport: FakeTransport) -> Client {
    connect_with(Options::new(), transport).await
}

pub(crate) async fn connect_with(options: Options, transport: FakeTransport) -> Client {
    Client::connect_with(options, transport)
        .await
        .expect("the session opens")
}

/// Returns the error of an operation that has to fail.
pub(crate) fn failed<T>(outcome: Result<T>) -> Error {
    outcome.err().expect("the operation fails")
}

/// Returns how long a future took on the paused clock.
pub(crate) async fn timed<F: Future>(future: F) -> (F::Output, Duration) {
    let start = Instant::now();
    let output = future.await;
    (output, start.elapsed())
}

/// Resolves when every other task is idle: the paused clock advances only then.
pub(crate) async fn idle() {
    pass(Duration::from_millis(1)).await;
}

/// Resolves when this time has passed on the paused clock.
pub(crate) async fn pass(time: Duration) {
    timeout(time, pending::<()>())
        .await
        .expect_err("the future is always pending");
}

pub(crate) const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Formats a message in short form: its type and its text or subtype.
pub(crate) fn summary(message: &Message) -> String {
    let value = serde_json::to_value(message).expect("a message serializes");
    let kind = value["type"].as_str().unwrap_or_default();
    match kind {
        "assistant" => format!("said {}", text(&value["message"]["content"][0]["text"])),
        "result" => format!("result {}", text(&value["result"])),
        "system" => format!("system {}", text(&value["subtype"])),
        "inhouse_gap" => format!("gap {} {}", text(&value["reason"]), value["lines"]),
        other => other.to_owned(),
    }
}

/// Reads every message to the end of the stream, in short form.
pub(crate) async fn read_to_end(messages: &mut MessageStream) -> Vec<String> {
    let mut read = Vec::new();
    while let Some(message) = messages.next().await {
        read.push(summary(&message.expect("the stream has no error")));
    }
    read
}

/// Reads `count` messages, in short form.
pub(crate) async fn read(messages: &mut MessageStream, count: usize) -> Vec<String> {
    let mut read = Vec::new();
    while read.len() < count {
        let message = messages.next().await.expect("the stream has not ended");
        read.push(summary(&message.expect("the stream has no error")));
    }
    read
}

/// Returns a successful result line, with these members added or replaced.
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

/// Waits until the host has read every line sent so far; the host calls [`settled`].
pub(crate) async fn settle(cli: &mut FakeCli) {
    cli.expect_request("set_model").await.succeed_empty().await;
}

/// The host's side of [`settle`].
pub(crate) async fn settled(control: &inhouse::Control) {
    control.set_model(None).await.expect("the CLI agrees");
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
