//! Every request gets exactly one response, also on failure.

use inhouse::Options;
use serde_json::{Value, json};

use crate::notes::{Journal, Notes};
use crate::support::{play, text_of};

fn options() -> (Options, Journal) {
    let (factory, journal) = Notes::factory();
    (Options::new().rmcp_server("notes", factory), journal)
}

fn error(response: &Value) -> (i64, String) {
    let code = response["error"]["code"].as_i64();
    let message = response["error"]["message"].as_str();
    (
        code.unwrap_or_else(|| panic!("no error in {response}")),
        message.expect("an error has a message").to_owned(),
    )
}

#[tokio::test]
async fn panic_is_answered_and_the_server_survives() {
    play(options().0, async |cli| {
        let asked = cli.begin_call(2, "panic").await;
        let answer = cli.answer(&asked).await;
        assert_eq!(answer["id"], 2);
        assert_eq!(
            error(&answer),
            (-32603, "the server failed: it panicked".to_owned())
        );
        assert_eq!(cli.call(3, "count").await, "1");
    })
    .await;
}

#[tokio::test]
async fn handler_error_is_sent_unchanged() {
    play(options().0, async |cli| {
        let asked = cli.begin_call(2, "refuse").await;
        assert_eq!(
            cli.answer(&asked).await["error"],
            json!({"code": -32042, "message": "no such page", "data": {"page": 7}})
        );
    })
    .await;
}

#[tokio::test]
async fn cancelled_call_is_answered_and_its_handler_cancelled() {
    let (options, mut journal) = options();
    play(options, async |cli| {
        assert_eq!(journal.next().await, "initialized");
        let call = cli.begin_call(5, "wait").await;
        assert_eq!(journal.next().await, "wait has begun");
        let cancel = cli
            .send(json!({
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": {"requestId": 5, "reason": "AbortError: remote-cancel"},
            }))
            .await;

        let answers = cli.answers(2).await;
        assert_eq!(error(&answers[&call]).0, -32800);
        assert_eq!(answers[&cancel]["result"], json!({}));
        let mut noted = [journal.next().await, journal.next().await];
        noted.sort();
        assert_eq!(noted, ["cancelled 5", "the token of wait has fired"]);
        // The id is free again.
        assert_eq!(cli.call(5, "count").await, "1");
    })
    .await;
}

#[tokio::test]
async fn end_of_the_session_drops_its_calls() {
    let (options, mut journal) = options();
    play(options, async |cli| {
        assert_eq!(journal.next().await, "initialized");
        cli.begin_call(5, "wait").await;
        assert_eq!(journal.next().await, "wait has begun");
    })
    .await;
    assert_eq!(journal.next().await, "the token of wait has fired");
}

#[tokio::test]
async fn second_request_with_an_open_id_is_refused() {
    let (options, mut journal) = options();
    play(options, async |cli| {
        assert_eq!(journal.next().await, "initialized");
        let first = cli.begin_call(5, "wait").await;
        assert_eq!(journal.next().await, "wait has begun");
        let second = cli.begin_call(5, "count").await;
        let (code, message) = error(&cli.answer(&second).await);
        assert_eq!(code, -32603);
        assert!(message.contains('5'), "{message}");

        let params = json!({"requestId": 5});
        let message =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        cli.send(message).await;
        assert_eq!(error(&cli.answers(2).await[&first]).0, -32800);
    })
    .await;
}

#[tokio::test]
async fn wrong_parameters_are_invalid_params() {
    play(options().0, async |cli| {
        let cases = [
            ("tools/call", json!({}), "missing field `name`"),
            (
                "tools/call",
                json!({"name": "count", "arguments": 7}),
                "invalid type",
            ),
            (
                "resources/read",
                json!({"url": "notes://shopping"}),
                "missing field `uri`",
            ),
            (
                "initialize",
                json!({"capabilities": {}}),
                "missing field `protocolVersion`",
            ),
        ];
        for (method, params, problem) in cases {
            let (code, message) = error(&cli.request(json!(2), method, params).await);
            assert_eq!(code, -32602, "{method}: {message}");
            assert!(
                message.contains(method) && message.contains(problem),
                "{message}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn unknown_method_is_refused() {
    play(options().0, async |cli| {
        let answer = cli.request(json!(2), "notes/burn", json!({})).await;
        assert_eq!(error(&answer), (-32601, "notes/burn".to_owned()));
    })
    .await;
}

#[tokio::test]
async fn invalid_messages_are_ignored() {
    let (options, mut journal) = options();
    play(options, async |cli| {
        assert_eq!(journal.next().await, "initialized");
        cli.notify("notifications/progress", json!({"progress": "much"}))
            .await;
        cli.notify("notifications/cancelled", json!({"requestId": {}}))
            .await;
        let unasked = cli
            .send(json!({"jsonrpc": "2.0", "id": 77, "result": {}}))
            .await;
        assert_eq!(cli.answer(&unasked).await["result"], json!({}));
        let nothing = cli.send(json!({"jsonrpc": "2.0", "id": 3})).await;
        assert_eq!(error(&cli.answer(&nothing).await).0, -32600);

        cli.notify("notifications/notes/lost", json!({})).await;
        assert_eq!(journal.next().await, "notifications/notes/lost");
        let asked = cli.begin_call(4, "count").await;
        assert_eq!(text_of(&cli.answer(&asked).await), "1");
    })
    .await;
}
