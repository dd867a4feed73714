//! Messages of sessions: reading and streaming of transcripts.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::pin::Pin;

use futures_core::Stream;
use inhouse::ErrorKind;
use inhouse::message::Message;
use inhouse::sessions::{SessionMessage, SessionMessageKind};

use crate::support::{Disk, ID, answer, id, prompt};

fn texts(messages: &[SessionMessage]) -> Vec<String> {
    messages.iter().map(SessionMessage::text).collect()
}

#[tokio::test]
async fn messages_have_their_lines_and_types() {
    let disk = Disk::with_session();
    let messages = disk.sessions().messages(ID).await.unwrap();
    assert_eq!(texts(&messages), ["Hello", "Hi!"]);
    assert_eq!(messages[0].kind, SessionMessageKind::User);
    assert_eq!(messages[0].uuid, id(1));
    assert_eq!(messages[0].session_id.as_deref(), Some(ID));
    assert!(messages[0].timestamp.is_some());
    assert_eq!(messages[1].raw(), answer(&id(2), &id(1), "Hi!"));
    let Message::Assistant(assistant) = messages[1].message().unwrap() else {
        panic!("an answer");
    };
    assert_eq!(assistant.text(), "Hi!");
}

#[tokio::test]
async fn system_entries_are_included_on_request() {
    let disk = Disk::new();
    let notice = format!(
        r#"{{"type":"system","subtype":"informational","content":"Notice","uuid":"{}","parentUuid":"{}"}}"#,
        id(2),
        id(1)
    );
    disk.write(
        ID,
        &[
            prompt(&id(1), "", "Hello"),
            notice,
            answer(&id(3), &id(2), "Hi!"),
        ],
    );
    let sessions = disk.sessions();
    let messages = sessions.messages(ID).await.unwrap();
    assert_eq!(texts(&messages), ["Hello", "Hi!"]);
    let messages = sessions.messages(ID).system(true).await.unwrap();
    assert_eq!(texts(&messages), ["Hello", "Notice", "Hi!"]);
}

#[tokio::test]
async fn broken_lines_crlf_and_unknown_types_are_tolerated() {
    let disk = Disk::new();
    let text = [
        "\u{feff}",
        "not JSON\r\n",
        "\r\n\n",
        r#"{"type":"from-the-future","uuid":"x","data":[1,2]}"#,
        "\r\n",
        &prompt(&id(1), "", "Hello"),
        "\r\n",
        "{\"type\":\"assistant\",\"uuid\":\"half",
        "\n",
        &answer(&id(2), &id(1), "Hi!"),
        "\n",
        "{\"type\":\"user\",\"uuid\":\"cut\",\"parentUuid\":\"",
    ]
    .concat();
    disk.write_bytes(ID, text.as_bytes());
    let messages = disk.sessions().messages(ID).await.unwrap();
    assert_eq!(texts(&messages), ["Hello", "Hi!"]);
    assert_eq!(messages[0].raw(), prompt(&id(1), "", "Hello"));
}

#[tokio::test]
async fn invalid_utf_8_is_replaced() {
    let disk = Disk::new();
    let mut bytes = prompt(&id(1), "", "a?b").into_bytes();
    let at = bytes.iter().position(|byte| *byte == b'?').unwrap();
    bytes[at] = 0xff;
    bytes.push(b'\n');
    bytes.extend_from_slice(answer(&id(2), &id(1), "Hi!").as_bytes());
    disk.write_bytes(ID, &bytes);
    let messages = disk.sessions().messages(ID).await.unwrap();
    assert_eq!(texts(&messages), ["a\u{fffd}b", "Hi!"]);
}

#[tokio::test]
async fn lone_surrogate_is_replaced_in_the_text_only() {
    let disk = Disk::new();
    let line = prompt(&id(1), "", "half").replace("half", "half \\ud83d");
    disk.write(ID, std::slice::from_ref(&line));
    let messages = disk.sessions().messages(ID).await.unwrap();
    assert_eq!(texts(&messages), ["half \u{fffd}"]);
    assert_eq!(messages[0].raw(), line);
}

#[tokio::test]
async fn huge_lines_are_read() {
    let disk = Disk::new();
    let huge = "x".repeat(8 << 20);
    disk.write(
        ID,
        &[
            prompt(&id(1), "", &huge),
            answer(&id(2), &id(1), "small"),
            prompt(&id(3), &id(2), &huge),
        ],
    );
    let mut stream = disk.sessions().messages(ID).stream();
    for expected in [huge.len(), 5, huge.len()] {
        let message = stream.next().await.unwrap().unwrap();
        assert_eq!(message.text().len(), expected);
    }
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn stream_has_all_messages_of_a_long_transcript() {
    let disk = Disk::new();
    let padding = "x".repeat(1000);
    let mut lines = vec![prompt(&id(0), "", "0")];
    for number in 1..2000 {
        lines.push(answer(
            &id(number),
            &id(number - 1),
            &format!("{number} {padding}"),
        ));
    }
    disk.write(ID, &lines);
    let mut stream = disk.sessions().messages(ID).stream();
    let mut count = 0;
    while let Some(message) = stream.next().await {
        let text = message.unwrap().text();
        let number = text.split(' ').next().unwrap();
        assert_eq!(number, count.to_string());
        count += 1;
    }
    assert_eq!(count, 2000);
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn stream_implements_the_trait() {
    let disk = Disk::with_session();
    let mut stream = disk.sessions().messages(ID).stream();
    let first = std::future::poll_fn(|cx| Pin::new(&mut stream).poll_next(cx)).await;
    assert_eq!(first.unwrap().unwrap().text(), "Hello");
}

#[tokio::test]
async fn stream_of_a_missing_session_has_one_error() {
    let disk = Disk::new();
    let mut stream = disk.sessions().messages(ID).stream();
    let error = stream.next().await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SessionNotFound);
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn transcript_that_shrinks_while_it_is_streamed_is_an_error() {
    let disk = Disk::new();
    let padding = "x".repeat(200_000);
    let mut lines = vec![prompt(&id(0), "", "0")];
    for number in 1..10 {
        lines.push(answer(&id(number), &id(number - 1), &padding));
    }
    disk.write(ID, &lines);
    let mut stream = disk.sessions().messages(ID).stream();
    stream.next().await.unwrap().unwrap();
    fs::write(disk.transcript(ID), "").unwrap();
    let error = loop {
        if let Err(error) = stream.next().await.expect("an error at the end") {
            break error;
        }
    };
    assert_eq!(error.kind(), ErrorKind::Store);
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn entries_that_are_appended_later_are_not_part_of_the_stream() {
    let disk = Disk::with_session();
    let mut stream = disk.sessions().messages(ID).stream();
    stream.next().await.unwrap().unwrap();
    let mut file = OpenOptions::new()
        .append(true)
        .open(disk.transcript(ID))
        .unwrap();
    writeln!(file, "{}", prompt(&id(3), &id(2), "later")).unwrap();
    assert_eq!(stream.next().await.unwrap().unwrap().text(), "Hi!");
    assert!(stream.next().await.is_none());
    assert_eq!(disk.sessions().messages(ID).await.unwrap().len(), 3);
}

#[tokio::test]
async fn dropped_stream_reads_nothing_more() {
    let disk = Disk::with_session();
    let stream = disk.sessions().messages(ID).stream();
    drop(stream);
    assert_eq!(disk.sessions().messages(ID).await.unwrap().len(), 2);
}
