use inhouse_proto::engine::{Event, Notice};
use inhouse_proto::message::Message;
use serde_json::json;

use crate::Host;

#[test]
fn invalid_lines_are_reported_and_skipped() {
    let mut host = Host::new();
    let events = host.receive_bytes(b"\n  \nhello\n{\"type\":\n[1]\n{\"type\":\"assistant\"}\n");
    assert!(matches!(
        &events[..],
        [
            Event::Notice(Notice::Blank),
            Event::Notice(Notice::Blank),
            Event::Notice(Notice::NotJson { bytes: 5, .. }),
            Event::Notice(Notice::NotJson { .. }),
            Event::Notice(Notice::NotJson { .. }),
            Event::Message(_),
        ]
    ));
}

#[test]
fn invalid_utf8_affects_only_its_line() {
    let mut host = Host::new();
    let events =
        host.receive_bytes(b"{\"type\":\"x\",\"a\":\"\xff\xfe\"}\n{\"type\":\"result\"}\n");
    assert!(matches!(events[0], Event::Notice(Notice::NotJson { .. })));
    assert!(matches!(&events[1], Event::Message(frame) if frame.ends_turn()));
}

#[test]
fn type_is_found_at_the_end_of_the_line() {
    let mut host = Host::new();
    let line = r#"{"result":"type","subtype":"success","is_error":true,"type":"result"}"#;
    let events = host.receive(line);
    assert!(
        matches!(&events[..], [Event::Message(frame)] if frame.ends_turn() && frame.ends_turn_badly())
    );
}

#[test]
fn last_line_without_a_line_feed_is_read() {
    let mut host = Host::new();
    assert!(host.receive_bytes(br#"{"type":"assistant"}"#).is_empty());
    host.engine.receive_end(host.now);
    assert!(matches!(host.events()[..], [Event::Message(_)]));
    host.engine.receive_end(host.now);
    assert!(host.events().is_empty());
}

#[test]
fn events_do_not_depend_on_the_chunking() {
    let stream = [
        json!({"type": "control_request", "request_id": "é1", "request": {"subtype": "zap", "x": "\u{1F980}"}}),
        json!({"type": "assistant", "message": {"content": []}}),
        json!({"type": "control_cancel_request", "request_id": "é1"}),
        json!({"type": "keep_alive", "startup_mark": "ready"}),
        json!({"type": "result", "subtype": "success", "is_error": false, "session_id": "s"}),
    ]
    .map(|line| line.to_string() + "\n")
    .concat();
    let whole = kinds(&Host::new().receive_bytes(stream.as_bytes()));
    assert_eq!(
        whole,
        ["request", "message", "withdrawn", "notice", "message"]
    );
    for size in 1..stream.len() {
        let mut host = Host::new();
        let events: Vec<Event> = stream
            .as_bytes()
            .chunks(size)
            .flat_map(|chunk| host.receive_bytes(chunk))
            .collect();
        assert_eq!(kinds(&events), whole, "in portions of {size} bytes");
    }
}

#[test]
fn heartbeats_and_transcripts_are_not_messages() {
    let mut host = Host::new();
    let events = host.receive(json!({"type": "keep_alive", "startup_mark": "mcp"}));
    assert!(matches!(
        &events[..],
        [Event::Notice(Notice::KeepAlive { startup_mark: Some(mark) })] if mark == "mcp"
    ));
    let events = host.receive(json!({"type": "transcript_mirror", "filePath": "x", "entries": []}));
    assert!(matches!(events[..], [Event::Transcript(_)]));
}

fn kinds(events: &[Event]) -> Vec<&'static str> {
    events
        .iter()
        .map(|event| match event {
            Event::Message(_) => "message",
            Event::Request(..) => "request",
            Event::Withdrawn(_) => "withdrawn",
            Event::Notice(_) => "notice",
            _ => "other",
        })
        .collect()
}

#[test]
fn corrupt_result_does_not_end_the_turn() {
    let mut host = Host::new();
    let events = host.receive_bytes(b"{\"type\":\"result\",\"usage\":{oops}}\n");
    assert!(matches!(
        &events[..],
        [Event::Notice(Notice::NotJson { .. })]
    ));
}

#[test]
fn conversation_messages_are_decoded_by_the_reader() {
    let whole = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"hi"}]}}"#;
    let corrupt = r#"{"type":"assistant","message":{"content":[{"type":"te{"type":"user"}"#;
    let odd = r#"{"type":"assistant","message":{"content":[]},"timestamp":1e999}"#;
    let mut host = Host::new();
    let events = host.receive_bytes(format!("{whole}\n{corrupt}\n{odd}\n").as_bytes());
    let messages: Vec<Message> = events
        .iter()
        .map(|event| match event {
            Event::Message(frame) => frame.decode(),
            other => panic!("not a message: {other:?}"),
        })
        .collect();
    let [
        Message::Assistant(whole),
        Message::Gap(gap),
        Message::Assistant(odd_number),
    ] = &messages[..]
    else {
        panic!("{messages:?}");
    };
    assert_eq!(whole.text(), "hi");
    assert_eq!(gap.bytes, corrupt.len() as u64);
    assert_eq!((odd_number.raw(), &odd_number.timestamp), (odd, &None));
}

#[test]
fn messages_in_an_unusual_layout_are_recognized() {
    for line in [
        r#"{"type":"user"}"#,
        r#"{ "type": "user", "message": {} }"#,
        r#"{"message":{},"type":"user"}"#,
        r#"{"type":"users","message":{}}"#,
        "{\"type\":\"user\",\"message\":{}}\r",
    ] {
        assert!(matches!(Host::new().receive(line)[..], [Event::Message(_)]));
    }
    for line in [r#"{"type":"users","mess{"x":1}"#, r#"{"type":"user","x":"#] {
        let events = Host::new().receive(line);
        assert!(matches!(
            events[..],
            [Event::Notice(Notice::NotJson { .. })]
        ));
    }
}
