use inhouse_proto::engine::{Event, Notice};
use inhouse_proto::message::Message;
use serde_json::json;

use crate::Host;

#[test]
fn garbage_between_lines_is_reported_and_survived() {
    let mut host = Host::new();
    let events = host.hears_bytes(b"\n  \nhello\n{\"type\":\n[1]\n{\"type\":\"assistant\"}\n");
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
fn bytes_that_are_not_utf8_cost_only_their_line() {
    let mut host = Host::new();
    let events = host.hears_bytes(b"{\"type\":\"x\",\"a\":\"\xff\xfe\"}\n{\"type\":\"result\"}\n");
    assert!(matches!(events[0], Event::Notice(Notice::NotJson { .. })));
    assert!(matches!(&events[1], Event::Message(frame) if frame.ends_turn()));
}

#[test]
fn the_type_may_stand_behind_everything_else() {
    let mut host = Host::new();
    let line = r#"{"result":"type","subtype":"success","is_error":true,"type":"result"}"#;
    let events = host.hears(line);
    assert!(
        matches!(&events[..], [Event::Message(frame)] if frame.ends_turn() && frame.ends_turn_badly())
    );
}

#[test]
fn a_last_line_without_its_end_still_counts() {
    let mut host = Host::new();
    assert!(host.hears_bytes(br#"{"type":"assistant"}"#).is_empty());
    host.engine.receive_end(host.now);
    assert!(matches!(host.events()[..], [Event::Message(_)]));
    host.engine.receive_end(host.now);
    assert!(host.events().is_empty());
}

#[test]
fn a_conversation_is_the_same_in_every_chunking() {
    let stream = [
        json!({"type": "control_request", "request_id": "é1", "request": {"subtype": "zap", "x": "\u{1F980}"}}),
        json!({"type": "assistant", "message": {"content": []}}),
        json!({"type": "control_cancel_request", "request_id": "é1"}),
        json!({"type": "keep_alive", "startup_mark": "ready"}),
        json!({"type": "result", "subtype": "success", "is_error": false, "session_id": "s"}),
    ]
    .map(|line| line.to_string() + "\n")
    .concat();
    let whole = kinds(&Host::new().hears_bytes(stream.as_bytes()));
    assert_eq!(
        whole,
        ["request", "message", "withdrawn", "notice", "message"]
    );
    for size in 1..stream.len() {
        let mut host = Host::new();
        let events: Vec<Event> = stream
            .as_bytes()
            .chunks(size)
            .flat_map(|chunk| host.hears_bytes(chunk))
            .collect();
        assert_eq!(kinds(&events), whole, "in portions of {size} bytes");
    }
}

#[test]
fn heartbeats_and_transcripts_are_not_messages() {
    let mut host = Host::new();
    let events = host.hears(json!({"type": "keep_alive", "startup_mark": "mcp"}));
    assert!(matches!(
        &events[..],
        [Event::Notice(Notice::KeepAlive { startup_mark: Some(mark) })] if mark == "mcp"
    ));
    let events = host.hears(json!({"type": "transcript_mirror", "filePath": "x", "entries": []}));
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
fn a_garbled_result_ends_no_turn() {
    let mut host = Host::new();
    let events = host.hears_bytes(b"{\"type\":\"result\",\"usage\":{oops}}\n");
    assert!(matches!(
        &events[..],
        [Event::Notice(Notice::NotJson { .. })]
    ));
}

#[test]
fn what_is_said_is_left_to_its_reader() {
    let whole = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"hi"}]}}"#;
    let garbled = r#"{"type":"assistant","message":{"content":[{"type":"te{"type":"user"}"#;
    let odd = r#"{"type":"assistant","message":{"content":[]},"timestamp":1e999}"#;
    let mut host = Host::new();
    let events = host.hears_bytes(format!("{whole}\n{garbled}\n{odd}\n").as_bytes());
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
    assert_eq!(gap.bytes, garbled.len() as u64);
    assert_eq!((odd_number.raw(), &odd_number.timestamp), (odd, &None));
}

#[test]
fn it_is_known_by_the_form_in_which_the_cli_writes_and_else_by_its_members() {
    for line in [
        r#"{"type":"user"}"#,
        r#"{ "type": "user", "message": {} }"#,
        r#"{"message":{},"type":"user"}"#,
        r#"{"type":"users","message":{}}"#,
        "{\"type\":\"user\",\"message\":{}}\r",
    ] {
        assert!(matches!(Host::new().hears(line)[..], [Event::Message(_)]));
    }
    for line in [r#"{"type":"users","mess{"x":1}"#, r#"{"type":"user","x":"#] {
        let events = Host::new().hears(line);
        assert!(matches!(
            events[..],
            [Event::Notice(Notice::NotJson { .. })]
        ));
    }
}
