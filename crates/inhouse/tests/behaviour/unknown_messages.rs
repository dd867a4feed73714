//! Unknown and misshapen messages are kept raw, and nothing after them is lost.

use inhouse::message::Message;
use inhouse::{ErrorKind, Options, query};
use inhouse_testkit::FakeCli;
use serde_json::{Value, json};

use crate::support::{failed, read, result_with};

/// Sends a line and returns the message that the host reads.
async fn message_of(line: &str) -> Message {
    let (message, ()) = FakeCli::play(
        Options::new(),
        async |client| {
            let message = client.messages().next().await.unwrap()?;
            assert_eq!(read(client.messages(), 1).await, ["said still here"]);
            Ok(message)
        },
        async |cli| {
            cli.send_bytes(format!("{line}\n").as_bytes()).await;
            cli.assistant("still here").await;
        },
    )
    .await;
    message
}

/// Serialises the message back to JSON.
async fn round_trip(line: &Value) -> Value {
    let message = message_of(&line.to_string()).await;
    serde_json::to_value(&message).unwrap()
}

#[tokio::test(start_paused = true)]
async fn promise_12_unknown_type_is_kept() {
    let line = json!({"type": "hologram", "beams": [1, 2, {"x": null}], "session_id": "s"});
    let Message::Unknown(unknown) = message_of(&line.to_string()).await else {
        panic!("no version knows that type");
    };
    assert_eq!(unknown.tag, "hologram");
    assert_eq!(unknown.raw().parse::<Value>().unwrap(), line);
    assert_eq!(unknown.reason, None);
}

#[tokio::test(start_paused = true)]
async fn promise_12_line_without_a_type_is_kept() {
    let line = json!({"what": "no type at all"});
    assert_eq!(round_trip(&line).await, line);
}

#[tokio::test(start_paused = true)]
async fn promise_12_unknown_system_subtype_is_kept() {
    let line = json!({"type": "system", "subtype": "eclipse", "total": true});
    assert_eq!(round_trip(&line).await, line);
}

#[tokio::test(start_paused = true)]
async fn promise_12_unknown_content_block_is_kept_among_known_ones() {
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
        message_of(&line.to_string()).await,
        Message::Assistant(_)
    ));
    assert_eq!(round_trip(&line).await, line);
}

#[tokio::test(start_paused = true)]
async fn promise_12_misshapen_known_type_is_kept_with_the_reason() {
    let line = json!({"type": "assistant", "message": "just a text"});
    let Message::Unknown(unknown) = message_of(&line.to_string()).await else {
        panic!("that is no message of the API");
    };
    assert_eq!(unknown.raw().parse::<Value>().unwrap(), line);
    assert!(unknown.reason.is_some());
}

/// A JSON list nested this deep.
fn nested(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

#[tokio::test(start_paused = true)]
async fn line_nested_too_deep_is_kept_raw_with_its_tag() {
    for levels in [200, 100_000] {
        let deep = nested(levels);
        for (line, tag) in [
            (
                format!(r#"{{"type":"hologram","beams":{deep}}}"#),
                "hologram",
            ),
            (
                format!(r#"{{"beams":{deep},"subtype":"eclipse","type":"system"}}"#),
                "system/eclipse",
            ),
            (
                format!(r#"{{"type":"assistant","message":{{"content":{deep}}}}}"#),
                "assistant",
            ),
        ] {
            let message = message_of(&line).await;
            assert_eq!(message.tag(), tag);
            assert_eq!(message.raw(), line);
        }
    }
}

/// A result with this member, which cannot be parsed.
fn deep_result(member: &str, levels: usize) -> String {
    let deep = nested(levels);
    format!(
        r#"{{"{member}":{deep},"type":"result","subtype":"success","is_error":false,"result":"42","session_id":"s"}}"#
    )
}

#[tokio::test(start_paused = true)]
async fn result_nested_too_deep_ends_its_turn_with_what_can_be_read() {
    for levels in [200, 100_000] {
        FakeCli::play(
            Options::new(),
            async |client| {
                let mut turn = client.send("hello").await?;
                let Message::Result(result) = turn.next().await.unwrap()? else {
                    panic!("the turn has nothing but a result");
                };
                assert_eq!(result.result.as_deref(), Some("42"));
                assert_eq!(result.structured_output, None);
                assert!(result.raw().contains(&nested(levels)));
                assert!(turn.next().await.is_none());
                drop(turn);
                assert_eq!(client.send("again").await?.text().await?, "43");
                Ok(())
            },
            async |cli| {
                cli.expect_prompt().await;
                let line = deep_result("structured_output", levels);
                cli.send_bytes(format!("{line}\n").as_bytes()).await;
                cli.expect_prompt().await;
                cli.send(result_with(cli, json!({"result": "43"}))).await;
            },
        )
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn query_returns_a_result_nested_too_deep() {
    let (answer, ()) = FakeCli::play_with(
        async |transport| query("hello").transport(transport).await?.text().await,
        async |mut cli| {
            cli.accept().await;
            cli.expect_prompt().await;
            let line = deep_result("structured_output", 100_000);
            cli.send_bytes(format!("{line}\n").as_bytes()).await;
            cli.expect_end_of_input().await;
        },
    )
    .await;
    assert_eq!(answer, "42");
}

#[tokio::test(start_paused = true)]
async fn query_says_that_its_result_cannot_be_read() {
    let (error, ()) = FakeCli::play_with(
        async |transport| {
            Ok(failed(
                query("hello").transport(transport).await?.text().await,
            ))
        },
        async |mut cli| {
            cli.accept().await;
            cli.expect_prompt().await;
            cli.send(json!({"type": "result", "subtype": "success"}))
                .await;
            cli.expect_end_of_input().await;
        },
    )
    .await;
    assert_eq!(error.kind(), ErrorKind::Protocol);
    assert!(error.to_string().contains("unexpected shape"), "{error}");
}
