//! A server sends an elicitation while one of its tools runs.

use std::fs;

use inhouse::elicitation::{ElicitationAnswer, ElicitationMode, ElicitationRequest};
use inhouse::message::{Message, SystemMessage};
use inhouse::options::McpServer;
use inhouse::{Asked, HandlerError, Options};
use inhouse_testkit::Turn;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::seen;
use crate::world::{self, World};

/// A server whose tool sends the elicitation in `QUESTION`, and returns the answer.
const SERVER: &str = r#"
say() {
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"
}
while read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
    case $line in
        *'"method":"initialize"'*)
            say "$id" '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"census","version":"1.0"}}' ;;
        *'"method":"tools/list"'*)
            say "$id" '{"tools":[{"name":"count","description":"Counts.","inputSchema":{"type":"object"}}]}' ;;
        *'"method":"tools/call"'*)
            call=$id
            printf '{"jsonrpc":"2.0","id":77,"method":"elicitation/create","params":%s}\n' "$QUESTION" ;;
        *'"id":77'*)
            text=$(printf '%s' "$line" | sed 's/\\/\\\\/g; s/"/\\"/g')
            case $QUESTION in *sign-in-1*)
                printf '{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"sign-in-1"}}\n' ;;
            esac
            say "$call" '{"content":[{"type":"text","text":"'"$text"'"}]}' ;;
    esac
done
"#;

// Compared as text, because the order of fields is the server's.
const FORM: &str = r#"{
    "mode": "form",
    "message": "How many live here?",
    "requestedSchema": {
        "type": "object",
        "properties": {"people": {"type": "integer"}, "cats": {"type": "integer"}},
        "required": ["people"]
    }
}"#;

const PAGE: &str = r#"{
    "mode": "url",
    "message": "Please sign in.",
    "url": "https://census.example/in",
    "elicitationId": "sign-in-1"
}"#;

fn eliciting_server(world: &World, question: &str) -> Options {
    let call = Turn::new().tool_use_with_id("toolu_1", "mcp__census__count", json!({}));
    world.model.turn(call).turn("Counted.");
    let path = world.cwd().join("census.sh");
    fs::write(&path, SERVER).unwrap();
    let server = McpServer::stdio("/bin/sh")
        .args([path.to_str().unwrap()])
        .env("QUESTION", question.replace('\n', ""))
        .always_load(true);
    world
        .options()
        .mcp_server("census", server)
        .allow_tools(["mcp__census"])
}

/// Returns the answer that the server gets.
async fn server_sees(world: &World, options: Options) -> (Value, Vec<Message>) {
    let mut client = world.connect(options).await;
    let turn = client.send("Count.").await.unwrap();
    let messages = world.read(turn).await;
    let seen = seen(world);
    let answer: Value =
        serde_json::from_str(&seen[0].text).unwrap_or_else(|error| panic!("{error}: {seen:?}"));
    (answer["result"].clone(), messages)
}

#[tokio::test]
async fn completed_form_reaches_the_server() {
    world::pinned(async |world| {
        let (sender, mut events) = mpsc::unbounded_channel();
        let options = eliciting_server(world, FORM).on_elicitation(
            async move |asked: Asked<ElicitationRequest>| {
                sender.send(asked).expect("the test holds the receiver");
                Ok(ElicitationAnswer::accept(&json!({"people": 3, "cats": 1}))?)
            },
        );

        let (answer, _) = server_sees(world, options).await;

        assert_eq!(answer["action"], "accept");
        assert_eq!(answer["content"], json!({"people": 3, "cats": 1}));
        let asked = events.recv().await.unwrap();
        assert_eq!(asked.request.mcp_server_name, "census");
        assert_eq!(asked.request.message, "How many live here?");
        assert_eq!(asked.request.mode, Some(ElicitationMode::Form));
        let schema = asked.request.requested_schema.as_ref().unwrap();
        assert_eq!(schema["required"], json!(["people"]));
        let order = asked.request.property_order.as_deref();
        assert_eq!(order, Some(&["people".to_owned(), "cats".to_owned()][..]));
    })
    .await;
}

#[tokio::test]
async fn refusals_reach_the_server() {
    for (answer, action) in [
        (ElicitationAnswer::Decline, "decline"),
        (ElicitationAnswer::Cancel, "cancel"),
    ] {
        world::pinned(async |world| {
            let options = eliciting_server(world, FORM)
                .on_elicitation(async move |_: Asked<ElicitationRequest>| Ok(answer));
            let (answer, _) = server_sees(world, options).await;
            assert_eq!(answer["action"], action);
        })
        .await;
    }
}

#[tokio::test]
async fn elicitation_without_a_handler_is_declined() {
    world::pinned(async |world| {
        let options = eliciting_server(world, FORM);
        let (answer, _) = server_sees(world, options).await;
        assert_eq!(answer["action"], "decline");
    })
    .await;
}

#[tokio::test]
async fn failing_handler_cancels_the_elicitation() {
    world::pinned(async |world| {
        let options =
            eliciting_server(world, FORM).on_elicitation(async |_: Asked<ElicitationRequest>| {
                Err(HandlerError::new("no terminal"))
            });
        let (answer, _) = server_sees(world, options).await;
        assert_eq!(answer["action"], "cancel");
    })
    .await;
}

#[tokio::test]
async fn url_elicitation_completes_when_the_server_says_so() {
    world::pinned(async |world| {
        let (sender, mut events) = mpsc::unbounded_channel();
        let options = eliciting_server(world, PAGE).on_elicitation(
            async move |asked: Asked<ElicitationRequest>| {
                sender.send(asked).expect("the test holds the receiver");
                Ok(ElicitationAnswer::accept_url())
            },
        );

        let (answer, messages) = server_sees(world, options).await;

        assert_eq!(answer["action"], "accept");
        let asked = events.recv().await.unwrap();
        assert_eq!(asked.request.mode, Some(ElicitationMode::Url));
        assert_eq!(
            asked.request.url.as_deref(),
            Some("https://census.example/in")
        );
        assert_eq!(asked.request.elicitation_id.as_deref(), Some("sign-in-1"));
        let completed = messages.iter().any(|message| {
            matches!(message, Message::System(SystemMessage::ElicitationComplete(complete))
                if complete.elicitation_id == "sign-in-1")
        });
        assert!(completed, "{:?}", world::tags(&messages));
    })
    .await;
}
