//! What this version does not know is kept as it came, and nothing after it is lost.

use inhouse::message::Message;
use inhouse_testkit::FakeCli;
use serde_json::{Value, json};

use crate::chart::{connect, read, together};

/// Sends a line and returns the message that the host makes of it.
async fn message_of(line: Value) -> Message {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        let message = client.messages().next().await.unwrap().unwrap();
        assert_eq!(read(client.messages(), 1).await, ["said still here"]);
        message
    };
    let cli = async move {
        cli.accept().await;
        cli.send(line).await;
        cli.assistant("still here").await;
    };
    together(host, cli).await.0
}

/// The same line again, as JSON.
async fn round_trip(line: &Value) -> Value {
    let message = message_of(line.clone()).await;
    serde_json::to_value(&message).unwrap()
}

#[tokio::test(start_paused = true)]
async fn trap_12_an_unknown_type_is_kept() {
    let line = json!({"type": "hologram", "beams": [1, 2, {"x": null}], "session_id": "s"});
    let Message::Unknown(unknown) = message_of(line.clone()).await else {
        panic!("no version knows that type");
    };
    assert_eq!(unknown.tag, "hologram");
    assert_eq!(unknown.raw, line);
    assert_eq!(unknown.reason, None);
}

#[tokio::test(start_paused = true)]
async fn trap_12_a_line_without_a_type_is_kept() {
    let line = json!({"what": "no type at all"});
    assert_eq!(round_trip(&line).await, line);
}

#[tokio::test(start_paused = true)]
async fn trap_12_an_unknown_system_subtype_is_kept() {
    let line = json!({"type": "system", "subtype": "eclipse", "total": true});
    assert_eq!(round_trip(&line).await, line);
}

#[tokio::test(start_paused = true)]
async fn trap_12_an_unknown_content_block_is_kept_among_the_known_ones() {
    let line = json!({
        "type": "assistant",
        "message": {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude",
            "content": [
                {"type": "text", "text": "before"},
                {"type": "smell", "note": "petrichor", "strength": 0.5},
                {"type": "text", "text": "after"},
            ],
            "stop_reason": "telepathy",
            "stop_sequence": null,
            "usage": {"input_tokens": 1, "output_tokens": 1, "dream_tokens": 7},
        },
        "parent_tool_use_id": null,
        "session_id": "s",
        "mood": "sunny",
    });
    assert!(matches!(
        message_of(line.clone()).await,
        Message::Assistant(_)
    ));
    assert_eq!(round_trip(&line).await, line);
}

#[tokio::test(start_paused = true)]
async fn trap_12_a_known_type_of_an_unknown_shape_is_kept_with_the_reason() {
    let line = json!({"type": "assistant", "message": "just a text"});
    let Message::Unknown(unknown) = message_of(line.clone()).await else {
        panic!("that is no message of the API");
    };
    assert_eq!(unknown.raw, line);
    assert!(unknown.reason.is_some());
}
