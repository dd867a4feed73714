//! Large output of the CLI.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use inhouse::message::{GapReason, Message};
use inhouse::{Client, query};
use inhouse_testkit::Script;
use serde_json::json;

use crate::support::{FakeProcess, within};

const MIB: usize = 1024 * 1024;

#[tokio::test]
async fn ten_megabytes_of_stderr_delay_nothing() {
    let script = Script::new()
        .stderr_flood(5 * MIB)
        .accept()
        .expect_prompt()
        .stderr_flood(5 * MIB)
        .turn("42");
    let fake = FakeProcess::new(&script);
    let received = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&received);
    let options = fake.options().stderr(move |line| {
        count.fetch_add(line.len() + 1, Ordering::Relaxed);
    });
    let query = query("What is 15 + 27?").options(options);
    let answer = within(async { query.await?.text().await }).await.unwrap();
    assert_eq!(answer, "42");
    // The ends of the two floods may be joined into one line.
    let received = received.load(Ordering::Relaxed);
    assert!((10 * MIB..=10 * MIB + 2).contains(&received), "{received}");
    fake.assert_gone();
}

#[tokio::test]
async fn promise_11_line_of_64_mib_is_delivered() {
    let script = Script::new()
        .accept()
        .expect_prompt()
        .state("running")
        .line_of(64 * MIB)
        .result("that was all")
        .state("idle");
    let fake = FakeProcess::new(&script);
    let mut client = fake.connect().await.unwrap();
    let mut turn = within(client.send("sender me everything")).await.unwrap();
    let Some(Ok(Message::Assistant(message))) = within(turn.next()).await else {
        panic!("no message");
    };
    let size = message.raw().len();
    assert!((64 * MIB - 1024..=64 * MIB).contains(&size), "{size}");
    assert_eq!(within(turn.text()).await.unwrap(), "that was all");
    within(client.close()).await.unwrap();
    fake.assert_gone();
}

#[tokio::test]
async fn promise_11_line_over_the_limit_is_reported_and_the_stream_continues() {
    let script = Script::new()
        .accept()
        .expect_prompt()
        .state("running")
        .line_of(3 * MIB)
        .assistant("in short")
        .result("that was all")
        .state("idle")
        .echo();
    let fake = FakeProcess::new(&script);
    let options = fake.options().max_line_bytes(MIB);
    let mut client = within(Client::connect(options)).await.unwrap();
    let mut turn = within(client.send("sender me everything")).await.unwrap();
    let Some(Ok(Message::Gap(gap))) = within(turn.next()).await else {
        panic!("the gap is not reported");
    };
    assert_eq!(gap.reason, GapReason::LineTooLong);
    assert_eq!((gap.lines, gap.bytes), (1, 3 * MIB as u64));
    let Some(Ok(Message::Assistant(_))) = within(turn.next()).await else {
        panic!("nothing after the gap");
    };
    assert_eq!(within(turn.text()).await.unwrap(), "that was all");
    let turn = within(client.send("and now?")).await.unwrap();
    assert_eq!(within(turn.text()).await.unwrap(), "and now?");
    within(client.close()).await.unwrap();
    fake.assert_gone();
}

#[tokio::test]
async fn garbage_between_lines_is_reported_and_no_line_is_lost() {
    let script = Script::new()
        .bytes(*b"Welcome to the machine!\n\n   \n")
        .accept()
        .expect_prompt()
        .state("running")
        .bytes(*b"{\"type\":\"assistant\",\n\xff\xfe\x00\n[1, 2\n")
        .assistant("sorry")
        .result("that was all")
        .state("idle");
    let fake = FakeProcess::new(&script);
    let query = query("sender me everything").options(fake.options());
    let mut messages = within(query).await.unwrap();
    let mut kinds = Vec::new();
    while let Some(message) = within(messages.next()).await {
        match message.unwrap() {
            // Lines next to each other may share a gap.
            Message::Gap(gap) => {
                assert_eq!(gap.reason, GapReason::NotJson);
                kinds.extend((0..gap.lines).map(|_| "garbage"));
            }
            Message::Assistant(_) => kinds.push("assistant"),
            Message::Result(_) => kinds.push("result"),
            _ => kinds.push("other"),
        }
    }
    let garbage = ["garbage"; 4];
    assert_eq!(kinds, [&garbage[..], &["assistant", "result"]].concat());
    fake.assert_gone();
}

#[tokio::test]
async fn promise_03_control_requests_pass_5000_unread_messages() {
    let unread = json!({
        "type": "assistant",
        "message": {"role": "assistant", "content": [{"type": "text", "text": "x".repeat(1_000)}]},
        "parent_tool_use_id": null,
        "session_id": "s",
    });
    let script = Script::new()
        .accept()
        .expect_prompt()
        .state("running")
        .repeat(unread, 5_000)
        .answer("set_model", None)
        .answer("interrupt", Some(json!({"still_queued": []})))
        .ask(json!({"subtype": "juggle"}))
        .result("that was all")
        .state("idle");
    let fake = FakeProcess::new(&script);
    let mut client = fake.connect().await.unwrap();
    let control = client.control().clone();
    let mut turn = within(client.send("sender me everything")).await.unwrap();
    within(control.set_model(Some("opus"))).await.unwrap();
    within(control.interrupt()).await.unwrap();
    let mut read = 0;
    while let Some(message) = within(turn.next()).await {
        match message.unwrap() {
            Message::Assistant(_) => read += 1,
            Message::Result(_) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(read, 5_000);
    within(client.close()).await.unwrap();
    fake.assert_gone();
}
