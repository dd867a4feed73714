use std::time::Duration;

use inhouse_testkit::model::{RequestKind, Usage};
use inhouse_testkit::{ModelRequest, ScriptedModel, Turn};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::DEADLINE;

#[tokio::test]
async fn streamed_turn_has_the_api_events_in_order() {
    let model = ScriptedModel::start().await.unwrap();
    let turn = Turn::new()
        .thinking("hm")
        .text("four")
        .tool_use_with_id("toolu_1", "Bash", json!({ "command": "ls" }))
        .usage(Usage::new(7, 9).cache_read(3))
        .pieces(1);
    model.turn(turn);
    let response = post(
        &model,
        "/v1/messages?beta=true",
        json!({ "model": "m", "stream": true }),
    )
    .await;
    assert_eq!(response.status, 200);
    assert_eq!(response.header("content-type"), Some("text/event-stream"));
    let events = response.events();
    let types: Vec<&str> = events
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        types,
        [
            "message_start",
            "content_block_start",
            "content_block_delta",
            "content_block_delta",
            "content_block_stop",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop",
        ]
    );
    assert_eq!(events[0]["message"]["model"], "m");
    assert_eq!(events[0]["message"]["usage"]["cache_read_input_tokens"], 3);
    assert_eq!(events[3]["delta"]["type"], "signature_delta");
    assert_eq!(events[11]["delta"]["stop_reason"], "tool_use");
    assert_eq!(events[11]["usage"]["output_tokens"], 9);
    model.assert_done();
}

#[tokio::test]
async fn message_is_complete_without_streaming() {
    let model = ScriptedModel::start().await.unwrap();
    model.turn(Turn::new().text("four").stop_reason("max_tokens"));
    let response = post(&model, "/v1/messages", json!({ "model": "m" })).await;
    let message = response.json();
    assert_eq!(
        message["content"],
        json!([{ "type": "text", "text": "four" }])
    );
    assert_eq!(message["stop_reason"], "max_tokens");
    assert_eq!(message["role"], "assistant");
}

#[tokio::test]
async fn error_has_its_status_its_type_and_its_headers() {
    let model = ScriptedModel::start().await.unwrap();
    model.turn(
        Turn::error(429)
            .retry_after(Duration::from_secs(7))
            .message("slow down"),
    );
    let response = post(&model, "/v1/messages", json!({ "stream": true })).await;
    assert_eq!(
        (response.status, response.header("retry-after")),
        (429, Some("7"))
    );
    let expected = json!({ "type": "rate_limit_error", "message": "slow down" });
    assert_eq!(response.json()["error"], expected);
}

#[tokio::test]
async fn error_can_interrupt_a_stream() {
    let model = ScriptedModel::start().await.unwrap();
    model.turn(Turn::new().text("half").fail(Turn::error(529)));
    let events = post(&model, "/v1/messages", json!({ "stream": true }))
        .await
        .events();
    let last = events.last().unwrap();
    assert_eq!(
        (&last["type"], &last["error"]["type"]),
        (&json!("error"), &json!("overloaded_error"))
    );
    assert!(
        events
            .iter()
            .any(|event| event["delta"]["text"].is_string()),
        "{events:?}"
    );
}

#[tokio::test]
async fn exhausted_script_is_an_api_error_and_fails_assert_done() {
    let model = ScriptedModel::start().await.unwrap();
    let response = post(&model, "/v1/messages", json!({ "stream": true })).await;
    assert_eq!(
        (response.status, response.header("x-should-retry")),
        (500, Some("false"))
    );
    let message = response.json()["error"]["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        message.contains("the script of the model is exhausted"),
        "{message}"
    );
    assert_eq!(model.unexpected().len(), 1);
    let text = failed_assertion(&model);
    assert!(text.contains("no answer to this request"), "{text}");
}

#[tokio::test]
async fn assertion_says_what_was_asked_and_what_was_left() {
    let model = ScriptedModel::start().await.unwrap();
    model
        .once(|request| request.model() == "small", "for the small one")
        .when(|_| false, "never counted");
    let body =
        json!({ "model": "big", "messages": [{ "role": "user", "content": "What is 15 + 27?" }] });
    post(&model, "/v1/messages", body).await;
    model.turn("too late");
    assert_eq!(model.remaining(), 2);
    let text = failed_assertion(&model);
    for expected in [
        "the script of the model has no answer to this request",
        "What is 15 + 27?",
        "these answers of the model were not used",
        "too late",
        "for the small one",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(!text.contains("never counted"), "{text}");
}

/// Returns the text with which `assert_done` panics.
fn failed_assertion(model: &ScriptedModel) -> String {
    let assertion = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| model.assert_done()));
    let panic = assertion.expect_err("the script does not fit");
    panic.downcast_ref::<String>().expect("a text").clone()
}

#[tokio::test]
async fn conversations_at_the_same_time_have_separate_scripts() {
    let model = ScriptedModel::start().await.unwrap();
    let about = |topic: &'static str| {
        move |request: &ModelRequest| request.messages()[0]["content"] == topic
    };
    for topic in ["moon", "sun"] {
        for step in 1..=3 {
            model.once(about(topic), format!("{topic} {step}"));
        }
    }
    let talk = async |topic: &str| {
        let mut messages = vec![json!({ "role": "user", "content": topic })];
        let mut said = Vec::new();
        for _ in 0..3 {
            let answer = post(&model, "/v1/messages", json!({ "messages": messages })).await;
            let text = answer.json()["content"][0]["text"]
                .as_str()
                .unwrap()
                .to_owned();
            messages.push(json!({ "role": "assistant", "content": text }));
            messages.push(json!({ "role": "user", "content": "Go on." }));
            said.push(text);
        }
        said
    };
    let (moon, sun) = tokio::join!(talk("moon"), talk("sun"));
    assert_eq!(moon, ["moon 1", "moon 2", "moon 3"]);
    assert_eq!(sun, ["sun 1", "sun 2", "sun 3"]);
    model.assert_done();
}

#[tokio::test]
async fn otherwise_answers_requests_beyond_the_script() {
    let model = ScriptedModel::start().await.unwrap();
    model
        .turn("first")
        .otherwise(|request| format!("you said {}", request.last_user_text().unwrap()));
    let ask = async |text: &str| {
        let body = json!({ "messages": [{ "role": "user", "content": text }] });
        post(&model, "/v1/messages", body).await.json()["content"][0]["text"].clone()
    };
    assert_eq!(ask("a").await, "first");
    assert_eq!(ask("b").await, "you said b");
    model.assert_done();
}

#[tokio::test]
async fn rules_precede_the_script_and_once_applies_once() {
    let model = ScriptedModel::start().await.unwrap();
    model
        .turn("script")
        .once(|request| request.model() == "small", "first")
        .once(|request| request.model() == "small", "second")
        .when(|request| request.model() == "small", "always");
    let mut said = Vec::new();
    for name in ["small", "big", "small", "small", "small"] {
        let message = post(&model, "/v1/messages", json!({ "model": name }))
            .await
            .json();
        said.push(message["content"][0]["text"].as_str().unwrap().to_owned());
    }
    assert_eq!(said, ["first", "script", "second", "always", "always"]);
    model.assert_done();
}

#[tokio::test]
async fn side_requests_are_answered_without_a_turn() {
    let model = ScriptedModel::start().await.unwrap();
    model.turn("untouched");
    let count = post(
        &model,
        "/v1/messages/count_tokens?beta=true",
        json!({ "messages": [] }),
    )
    .await;
    assert!(
        count.json()["input_tokens"]
            .as_u64()
            .is_some_and(|tokens| tokens > 0)
    );
    let schema = json!({ "type": "object", "required": ["title"], "properties": { "title": { "type": "string" } } });
    let format = json!({ "type": "json_schema", "schema": schema });
    let title = post(
        &model,
        "/v1/messages",
        json!({ "output_config": { "format": format } }),
    )
    .await;
    assert_eq!(
        title.json()["content"][0]["text"],
        r#"{"title":"scripted"}"#
    );
    assert_eq!(send(&model, "HEAD", "/", "").await.status, 200);
    let unknown = send(&model, "GET", "/api/hello", "").await;
    assert_eq!(
        (unknown.status, &unknown.json()["error"]["type"]),
        (404, &json!("not_found_error"))
    );

    let kinds: Vec<_> = model.requests().iter().map(ModelRequest::kind).collect();
    assert_eq!(
        kinds,
        [
            RequestKind::CountTokens,
            RequestKind::Structured,
            RequestKind::Reachability,
            RequestKind::Unknown,
        ]
    );
    assert_eq!((model.remaining(), model.conversation().len()), (1, 0));
    assert_eq!(model.unexpected()[0].path(), "/api/hello");
}

#[tokio::test]
async fn request_is_recorded_unchanged() {
    let model = ScriptedModel::start().await.unwrap();
    model.turn("ok");
    let body = json!({
        "model": "claude-x",
        "stream": true,
        "system": [{ "type": "text", "text": "Be brief." }, { "type": "text", "text": "Be kind." }],
        "tools": [{ "name": "Bash" }, { "name": "Read" }],
        "messages": [{ "role": "user", "content": "Hello" }],
    });
    let (_, request) = tokio::join!(
        post(&model, "/v1/messages?beta=true", body.clone()),
        model.next_request(DEADLINE)
    );
    let request = request.unwrap();
    assert_eq!(
        (request.path(), request.query()),
        ("/v1/messages", Some("beta=true"))
    );
    assert_eq!((request.model(), request.is_stream()), ("claude-x", true));
    assert_eq!(request.system_text(), "Be brief.\nBe kind.");
    assert_eq!(request.tools(), ["Bash", "Read"]);
    assert_eq!(request.last_user_text().as_deref(), Some("Hello"));
    assert_eq!(
        (request.body(), request.header("X-Test")),
        (&body, Some("yes"))
    );
}

#[tokio::test]
async fn wait_ends_at_the_deadline_with_the_received_requests() {
    let model = ScriptedModel::start().await.unwrap();
    send(&model, "HEAD", "/", "").await;
    let error = model
        .next_request(Duration::from_millis(1))
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("HEAD / (Reachability)"),
        "{error}"
    );
}

#[tokio::test]
async fn stalled_turn_continues_when_released_and_blocks_no_other() {
    let model = ScriptedModel::start().await.unwrap();
    model.turn(Turn::new().text("slow").stall()).turn("quick");
    let slow = post(&model, "/v1/messages", json!({ "stream": true }));
    let meanwhile = async {
        model.next_request(DEADLINE).await.unwrap();
        let quick = post(&model, "/v1/messages", json!({ "stream": true })).await;
        assert_eq!(quick.events().last().unwrap()["type"], "message_stop");
        model.release();
    };
    let (slow, ()) = tokio::join!(slow, meanwhile);
    assert_eq!(slow.events().last().unwrap()["type"], "message_stop");
}

#[tokio::test]
async fn disconnect_delivers_earlier_parts() {
    let model = ScriptedModel::start().await.unwrap();
    model.turn(Turn::new().text("half").disconnect());
    let mut stream = connect(&model).await;
    stream
        .write_all(
            b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 15\r\n\r\n{\"stream\":true}",
        )
        .await
        .unwrap();
    let mut raw = Vec::new();
    timeout(DEADLINE, stream.read_to_end(&mut raw))
        .await
        .unwrap()
        .unwrap();
    let raw = String::from_utf8(raw).unwrap();
    assert!(
        raw.contains("text_delta") && !raw.contains("content_block_stop"),
        "{raw}"
    );
    assert!(!raw.ends_with("0\r\n\r\n"), "a cut is not an end: {raw}");
}

#[tokio::test]
async fn client_disconnect_is_recorded() {
    let model = ScriptedModel::start().await.unwrap();
    model.turn(Turn::new().stall()).turn("still here");
    let mut stream = connect(&model).await;
    let request = b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 28\r\n\r\n{\"model\":\"a\",\"stream\":true }";
    stream.write_all(request).await.unwrap();
    model.next_request(DEADLINE).await.unwrap();
    drop(stream);
    assert_eq!(model.next_disconnect(DEADLINE).await.unwrap().model(), "a");

    let mut half_a_request = connect(&model).await;
    half_a_request
        .write_all(b"POST /v1/messages HTTP/1.1\r\ncontent-length: 99\r\n\r\n{")
        .await
        .unwrap();
    drop(half_a_request);
    let message = post(&model, "/v1/messages", json!({})).await.json();
    assert_eq!(message["content"][0]["text"], "still here");
}

#[tokio::test]
async fn concurrent_clients_get_one_turn_each() {
    let model = ScriptedModel::start().await.unwrap();
    let mut clients = tokio::task::JoinSet::new();
    for number in 0..50 {
        model.turn(number.to_string());
        let exchange = exchange(
            model.base_url(),
            "POST",
            "/v1/messages",
            r#"{"stream":true}"#.to_owned(),
        );
        clients.spawn(async move { exchange.await.events() });
    }
    let mut answers: Vec<u32> = clients
        .join_all()
        .await
        .iter()
        .map(|events| {
            let text: String = events
                .iter()
                .filter_map(|event| event["delta"]["text"].as_str())
                .collect();
            text.parse().unwrap()
        })
        .collect();
    answers.sort_unstable();
    assert_eq!(answers, (0..50).collect::<Vec<_>>());
    model.assert_done();
}

#[tokio::test]
async fn dropping_the_model_closes_its_connections() {
    let model = ScriptedModel::start().await.unwrap();
    model.turn(Turn::new().stall());
    let mut stream = connect(&model).await;
    stream
        .write_all(b"POST /v1/messages HTTP/1.1\r\ncontent-length: 15\r\n\r\n{\"stream\":true}")
        .await
        .unwrap();
    model.next_request(DEADLINE).await.unwrap();
    let address = model.base_url().replace("http://", "");
    drop(model);
    let mut rest = Vec::new();
    // A reset also ends the connection.
    let _ = timeout(DEADLINE, stream.read_to_end(&mut rest))
        .await
        .unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

impl Reply {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(header, _)| header == name)
            .map(|(_, value)| value.as_str())
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    fn events(&self) -> Vec<Value> {
        let data = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "));
        data.map(|data| serde_json::from_str(data).unwrap())
            .collect()
    }
}

async fn post(model: &ScriptedModel, path: &str, body: Value) -> Reply {
    send(model, "POST", path, &body.to_string()).await
}

async fn send(model: &ScriptedModel, method: &'static str, path: &str, body: &str) -> Reply {
    exchange(model.base_url(), method, path, body.to_owned()).await
}

async fn connect(model: &ScriptedModel) -> TcpStream {
    TcpStream::connect(model.base_url().replace("http://", ""))
        .await
        .unwrap()
}

/// Uses HTTP/1.0, where a body ends with its connection and has no chunks.
fn exchange(
    base_url: String,
    method: &str,
    path: &str,
    body: String,
) -> impl Future<Output = Reply> + use<> {
    let head = format!(
        "{method} {path} HTTP/1.0\r\nx-test: yes\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let exchange = async move {
        let mut stream = TcpStream::connect(base_url.replace("http://", ""))
            .await
            .unwrap();
        stream
            .write_all(format!("{head}{body}").as_bytes())
            .await
            .unwrap();
        let mut raw = String::new();
        stream.read_to_string(&mut raw).await.unwrap();
        let (head, body) = raw.split_once("\r\n\r\n").unwrap();
        let mut lines = head.lines();
        let status = lines
            .next()
            .unwrap()
            .split(' ')
            .nth(1)
            .unwrap()
            .parse()
            .unwrap();
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers = headers
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Reply {
            status,
            headers,
            body: body.to_owned(),
        }
    };
    async move {
        timeout(DEADLINE, exchange)
            .await
            .expect("an answer within the deadline")
    }
}
