use inhouse_proto::message::{Gap, GapReason, Message, ResultMessage};
use serde_json::{Value, json};

#[test]
fn assistant_message_returns_text_and_tool_calls() {
    let Message::Assistant(message) = decode(json!({"type": "assistant", "message": {"content": [
        {"type": "text", "text": "I will "},
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {}},
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "look."},
        {"type": "tool_use", "id": "t2", "name": "Bash", "input": {}},
        {"type": "server_tool_use", "id": "t3", "name": "web_search", "input": {}},
    ]}})) else {
        panic!("not an assistant message")
    };
    assert_eq!(message.text(), "I will look.");
    let calls: Vec<_> = message.tool_uses().map(|call| call.id.as_str()).collect();
    assert_eq!(calls, ["t1", "t2"]);
}

#[test]
fn user_message_returns_tool_results() {
    let Message::User(message) = decode(json!({"type": "user", "message": {"content": [
        {"type": "text", "text": "x"},
        {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "4"}]},
    ]}})) else {
        panic!("not a user message")
    };
    let results: Vec<_> = message.tool_results().collect();
    assert_eq!(results.len(), 1);
    let content = results[0].content.as_ref().expect("the result has content");
    assert_eq!(content.text(), "4");
    assert!(!message.is_replay());
}

#[test]
fn stream_event_returns_text_and_thinking_deltas() {
    let event = |delta: Value| {
        decode(json!({
            "type": "stream_event",
            "event": {"type": "content_block_delta", "index": 0, "delta": delta},
        }))
    };
    let Message::StreamEvent(text) = event(json!({"type": "text_delta", "text": "Hel"})) else {
        panic!("not a stream event")
    };
    assert_eq!(
        (text.text_delta(), text.thinking_delta()),
        (Some("Hel"), None)
    );
    let Message::StreamEvent(thinking) = event(json!({"type": "thinking_delta", "thinking": "hm"}))
    else {
        panic!("not a stream event")
    };
    assert_eq!(
        (thinking.text_delta(), thinking.thinking_delta()),
        (None, Some("hm"))
    );
}

#[test]
fn failed_result_returns_a_reason() {
    let failure = |more: Value| {
        let mut line = json!({"subtype": "success", "is_error": true, "session_id": "s"});
        let members = line.as_object_mut().expect("the line is an object");
        members.extend(more.as_object().expect("the case is an object").clone());
        let result: ResultMessage =
            serde_json::from_str(&line.to_string()).expect("the line is a result");
        assert_eq!(result.is_success(), result.failure().is_none());
        result.failure()
    };
    assert_eq!(failure(json!({"is_error": false, "result": "4"})), None);
    for (more, text) in [
        (
            json!({"subtype": "error_max_turns", "errors": ["a", "b"]}),
            "a; b",
        ),
        (
            json!({"result": "API Error: 500", "api_error_status": 500}),
            "API Error: 500",
        ),
        (
            json!({"subtype": "error_max_turns", "errors": []}),
            "error_max_turns",
        ),
        (
            json!({"subtype": "error_max_turns", "is_error": false}),
            "error_max_turns",
        ),
        (
            json!({"result": "", "api_error_status": 529}),
            "the API answered with HTTP status 529",
        ),
        (json!({}), "the turn failed without a reason"),
    ] {
        assert_eq!(failure(more).as_deref(), Some(text));
    }
}

#[test]
fn gap_reports_the_omitted_line_and_round_trips() {
    let mut line = b"Warning: ".to_vec();
    line.resize(1000, 0xFF);
    let gap = Gap::not_json(&line);
    assert_eq!(
        (&gap.reason, gap.lines, gap.bytes),
        (&GapReason::NotJson, 1, 1000)
    );
    let sample = gap.sample.as_deref().expect("the gap has a sample");
    assert!(sample.starts_with("Warning: \u{fffd}") && sample.len() < 1000);

    let message = Message::from(gap);
    let again: Message =
        serde_json::from_str(&serde_json::to_string(&message).expect("messages serialize to JSON"))
            .expect("the line is a message");
    assert_eq!(again, message);
    assert_eq!(
        (message.tag().as_str(), message.uuid()),
        ("inhouse_gap", None)
    );
}

fn decode(line: Value) -> Message {
    Message::decode(line.to_string().as_bytes()).expect("the line is a JSON object")
}
