//! Invalid, partial and oversized lines.

use inhouse::message::{GapReason, Message};
use inhouse::{ExitStatus, Options};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::json;

use crate::support::{connect, connect_with, read, settle, settled, summary};

#[tokio::test(start_paused = true)]
async fn line_that_is_not_json_is_a_gap_with_its_start() {
    for garbage in ["Segmentation fault", "[1,2]", "{\"type\":\"result\"", "7"] {
        let (transport, mut cli) = FakeCli::new();
        let host = async {
            let mut client = connect(transport).await;
            let Message::Gap(gap) = client.messages().next().await.unwrap().unwrap() else {
                panic!("{garbage:?} is no message");
            };
            assert_eq!(gap.reason, GapReason::NotJson);
            assert_eq!((gap.lines, gap.bytes), (1, garbage.len() as u64));
            assert_eq!(gap.sample.as_deref(), Some(garbage));
            assert_eq!(read(client.messages(), 1).await, ["said still here"]);
        };
        let cli = async move {
            cli.accept().await;
            cli.send_bytes(format!("{garbage}\n").as_bytes()).await;
            cli.assistant("still here").await;
        };
        join(host, cli).await;
    }
}

#[tokio::test(start_paused = true)]
async fn line_that_is_not_utf8_is_a_gap() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        read(client.messages(), 2).await
    };
    let cli = async move {
        cli.accept().await;
        cli.send_bytes(b"{\"type\":\"note\",\"text\":\"\xff\xfe\"}\n")
            .await;
        cli.assistant("still here").await;
    };
    let (read, ()) = join(host, cli).await;
    assert_eq!(read, ["gap not_json 1", "said still here"]);
}

#[tokio::test(start_paused = true)]
async fn blank_lines_are_ignored() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        read(client.messages(), 1).await
    };
    let cli = async move {
        cli.accept().await;
        cli.send_bytes(b"\n  \n\r\n\n").await;
        cli.assistant("still here").await;
    };
    let (read, ()) = join(host, cli).await;
    assert_eq!(read, ["said still here"]);
}

#[tokio::test(start_paused = true)]
async fn line_may_arrive_byte_by_byte() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        let message = client.messages().next().await.unwrap().unwrap();
        serde_json::to_value(&message).unwrap()
    };
    let line = json!({"type": "note", "text": "é, 漢字, 😀"});
    let mut bytes = line.to_string().into_bytes();
    bytes.extend(b"\r\n");
    let cli = async move {
        cli.accept().await;
        for byte in bytes {
            cli.send_bytes(&[byte]).await;
            tokio::task::yield_now().await;
        }
    };
    let (got, ()) = join(host, cli).await;
    assert_eq!(got, line);
}

#[tokio::test(start_paused = true)]
async fn partial_last_line_is_a_gap_unless_it_is_complete_json() {
    for (last, expected) in [
        ("{\"type\":\"assi", "gap not_json 1"),
        ("{\"type\":\"note\"}", "note"),
    ] {
        let (transport, mut cli) = FakeCli::new();
        let host = async {
            let mut client = connect(transport).await;
            let first = client.messages().next().await.unwrap().unwrap();
            assert_eq!(summary(&first), expected);
            assert!(client.messages().next().await.is_none());
        };
        let cli = async move {
            cli.accept().await;
            cli.send_bytes(last.as_bytes()).await;
            cli.exit(ExitStatus::with_code(0));
        };
        join(host, cli).await;
    }
}

#[tokio::test(start_paused = true)]
async fn promise_11_line_over_the_limit_is_reported_and_the_stream_continues() {
    const LIMIT: usize = 10_000;
    let (transport, mut cli) = FakeCli::new();
    let options = Options::new().max_line_bytes(LIMIT);
    let long = format!(
        "{{\"type\":\"note\",\"text\":\"{}\"}}",
        "x".repeat(1_000_000)
    );
    let length = long.len() as u64;
    let host = async {
        let mut client = connect_with(options, transport).await;
        let Message::Gap(gap) = client.messages().next().await.unwrap().unwrap() else {
            panic!("that line was too long");
        };
        assert_eq!(gap.reason, GapReason::LineTooLong);
        assert_eq!((gap.lines, gap.bytes), (1, length));
        assert!(
            gap.sample
                .as_deref()
                .unwrap()
                .starts_with("{\"type\":\"note\"")
        );
        assert_eq!(read(client.messages(), 1).await, ["said still here"]);
        settled(client.control()).await;
    };
    let cli = async move {
        cli.accept().await;
        cli.send_bytes(format!("{long}\n").as_bytes()).await;
        cli.assistant("still here").await;
        settle(&mut cli).await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn promise_11_long_line_is_delivered_unless_a_limit_is_set() {
    const LENGTH: usize = 20_000_000;
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        let message = client.messages().next().await.unwrap().unwrap();
        serde_json::to_value(&message).unwrap()["text"]
            .as_str()
            .map(str::len)
    };
    let cli = async move {
        cli.accept().await;
        cli.send(json!({"type": "note", "text": "x".repeat(LENGTH)}))
            .await;
    };
    let (length, ()) = join(host, cli).await;
    assert_eq!(length, Some(LENGTH));
}

#[tokio::test(start_paused = true)]
async fn unread_flood_of_garbage_is_one_gap() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        settled(client.control()).await;
        read(client.messages(), 2).await
    };
    let cli = async move {
        cli.accept().await;
        for _ in 0..1_000 {
            cli.send_bytes(b"garbage\n").await;
        }
        cli.assistant("still here").await;
        settle(&mut cli).await;
    };
    let (read, ()) = join(host, cli).await;
    assert_eq!(read, ["gap not_json 1000", "said still here"]);
}
