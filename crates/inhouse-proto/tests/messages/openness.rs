use inhouse_proto::message::{
    ApiEvent, AssistantError, ContentBlock, ContentDelta, Message, ResultSubtype, SystemMessage,
};
use serde_json::{Value, json};

use crate::support::assert_deep_equal;

#[test]
fn unknown_type_round_trips() {
    let line = json!({"type": "zap", "x": [1, null], "uuid": "u"});
    let message = round_trip(&line);
    let Message::Unknown(unknown) = &message else {
        panic!("{message:?}")
    };
    assert_eq!((unknown.tag.as_str(), &unknown.reason), ("zap", &None));
    assert_eq!(message.tag(), "zap");
    assert_eq!(message.uuid(), Some("u"));
}

#[test]
fn unknown_subtype_round_trips() {
    for line in [
        json!({"type": "system", "subtype": "zap", "session_id": "s"}),
        json!({"type": "system", "session_id": "s"}),
    ] {
        let message = round_trip(&line);
        let Message::Unknown(unknown) = &message else {
            panic!("{message:?}")
        };
        assert_eq!(unknown.reason, None);
        assert_eq!(message.session_id(), Some("s"));
    }
    let message = round_trip(&json!({"type": "system", "subtype": "zap"}));
    assert_eq!(message.tag(), "system/zap");
}

#[test]
fn result_with_unknown_subtype_is_typed() {
    let line = json!({"type": "result", "subtype": "zap", "is_error": true, "session_id": "s"});
    let Message::Result(result) = round_trip(&line) else {
        panic!("not a result")
    };
    assert_eq!(result.subtype, ResultSubtype::Unknown("zap".to_owned()));
    assert_eq!(result.failure().as_deref(), Some("zap"));
}

#[test]
fn line_without_type_round_trips() {
    for line in [json!({}), json!({"type": 7, "x": 1}), json!({"type": null})] {
        let Message::Unknown(unknown) = round_trip(&line) else {
            panic!("{line}")
        };
        assert_eq!(unknown.tag, "");
    }
}

#[test]
fn unknown_block_keeps_its_position() {
    let line = json!({"type": "assistant", "message": {"content": [
        {"type": "text", "text": "a"},
        {"type": "hologram", "rays": 3},
        "not even an object",
        {"type": "text", "text": "b"},
    ]}});
    let Message::Assistant(message) = round_trip(&line) else {
        panic!("not an assistant message")
    };
    assert_eq!(message.text(), "ab");
    let [
        _,
        ContentBlock::Unknown(hologram),
        ContentBlock::Unknown(_),
        _,
    ] = message.message.content.as_slice()
    else {
        panic!("{message:?}")
    };
    assert_eq!(hologram.tag, "hologram");
    assert_eq!(hologram.value()["rays"], 3);
}

#[test]
fn unknown_and_malformed_blocks_keep_long_numbers_and_spaces() {
    let unknown = r#"{"type":"hologram", "rays":123456789012345678901234567890,"at":1.0}"#;
    let malformed = r#"{"type":"text","text":12345678901234567890123}"#;
    let line = format!(r#"{{"type":"assistant","message":{{"content":[{unknown},{malformed}]}}}}"#);
    let Ok(Message::Assistant(message)) = Message::decode(line.as_bytes()) else {
        panic!("not an assistant message")
    };
    let blocks: Vec<(&str, bool)> = message
        .message
        .content
        .iter()
        .map(|block| match block {
            ContentBlock::Unknown(block) => (block.raw.get(), block.reason.is_some()),
            block => panic!("{block:?}"),
        })
        .collect();
    assert_eq!(blocks, [(unknown, false), (malformed, true)]);
}

#[test]
fn unknown_event_and_delta_round_trip() {
    let event = |event: Value| match round_trip(&json!({"type": "stream_event", "event": event})) {
        Message::StreamEvent(message) => message,
        other => panic!("{other:?}"),
    };
    let unknown = event(json!({"type": "zap", "x": 1}));
    assert!(matches!(unknown.event, ApiEvent::Unknown(_)));

    let delta = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "zap"}});
    let message = event(delta);
    let ApiEvent::ContentBlockDelta(delta) = &message.event else {
        panic!("{message:?}")
    };
    assert!(matches!(delta.delta, ContentDelta::Unknown(_)));
    assert_eq!(message.text_delta(), None);
}

#[test]
fn unknown_enum_value_round_trips() {
    let line = json!({"type": "assistant", "error": "bad_weather", "message": {"content": []}});
    let Message::Assistant(message) = round_trip(&line) else {
        panic!("not an assistant message")
    };
    assert_eq!(
        message.error,
        Some(AssistantError::Unknown("bad_weather".to_owned()))
    );
}

#[test]
fn malformed_optional_member_is_none() {
    let line = json!({
        "type": "assistant",
        "session_id": "s",
        "error": {"kind": "rate_limit"},
        "message": {
            "content": [{"type": "text", "text": "still here", "citations": "none"}],
            "usage": {"input_tokens": "many", "output_tokens": 2},
        },
    });
    let Message::Assistant(message) = round_trip(&line) else {
        panic!("not an assistant message")
    };
    assert_eq!(message.text(), "still here");
    assert_eq!(message.session_id.as_deref(), Some("s"));
    assert_eq!(message.error, None);
    let usage = message.message.usage.as_ref().expect("the usage is typed");
    assert_eq!((usage.input_tokens, usage.output_tokens), (None, Some(2)));
}

#[test]
fn malformed_required_member_is_named_in_the_reason() {
    let line = json!({"type": "result", "subtype": "success", "is_error": "no", "session_id": "s"});
    let Message::Unknown(unknown) = round_trip(&line) else {
        panic!("the message must not be typed")
    };
    assert_eq!(unknown.tag, "result/success");
    let reason = unknown.reason.as_deref().expect("the type is known");
    assert!(reason.contains("is_error"), "{reason}");

    let line = json!({"type": "system", "subtype": "hook_started"});
    let Message::Unknown(unknown) = round_trip(&line) else {
        panic!("the message must not be typed")
    };
    assert_eq!(unknown.tag, "system/hook_started");
    assert!(
        unknown
            .reason
            .as_deref()
            .expect("the type is known")
            .contains("hook_id")
    );
}

#[test]
fn null_and_absent_members_round_trip() {
    let null = json!({"type": "system", "subtype": "status", "status": null});
    let absent = json!({"type": "system", "subtype": "status"});
    for line in [null, absent] {
        let Message::System(SystemMessage::Status(status)) = round_trip(&line) else {
            panic!("not a status")
        };
        assert_eq!(status.status, None);
    }
}

#[test]
fn decode_fails_only_for_non_objects() {
    for line in [
        "",
        "hello",
        "[]",
        "7",
        "null",
        r#"["assistant", null]"#,
        r#"{"type":"#,
    ] {
        assert!(Message::decode(line.as_bytes()).is_err(), "{line}");
    }
}

#[test]
fn lone_surrogate_is_replaced() {
    let line = br#"{"type":"prompt_suggestion","suggestion":"a \ud83d b \ud83d\ude00"}"#;
    let Ok(Message::PromptSuggestion(message)) = Message::decode(line) else {
        panic!("not a prompt suggestion")
    };
    assert_eq!(message.suggestion, "a \u{fffd} b \u{1f600}");
}

#[track_caller]
fn round_trip(line: &Value) -> Message {
    let message = Message::decode(line.to_string().as_bytes()).expect("the line is a JSON object");
    assert_deep_equal(
        &serde_json::to_value(&message).expect("messages serialize to JSON"),
        line,
    );
    message
}
