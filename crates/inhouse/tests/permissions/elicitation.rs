//! Elicitations of MCP servers.

use inhouse::elicitation::{ElicitationAnswer, ElicitationMode, ElicitationRequest};
use inhouse::{Asked, HandlerError, Options};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::support::answer_to;

fn form() -> Value {
    json!({
        "subtype": "elicitation",
        "mcp_server_name": "crm",
        "message": "Which region?",
        "mode": "form",
        "requested_schema": {"type": "object", "properties": {"region": {"type": "string"}}},
        "property_order": ["region"],
        "title": "Region",
        "display_name": "CRM",
        "description": "Asks for the region",
    })
}

fn answering(answer: ElicitationAnswer) -> Options {
    Options::new().on_elicitation(async move |_: Asked<ElicitationRequest>| Ok(answer))
}

async fn payload_of(options: Options) -> Value {
    answer_to(options, form()).await.payload()
}

#[tokio::test(start_paused = true)]
async fn every_member_reaches_the_handler() {
    let (sender, mut events) = mpsc::unbounded_channel();
    let options = Options::new().on_elicitation(async move |asked: Asked<ElicitationRequest>| {
        sender.send(asked).expect("the test holds the receiver");
        Ok(ElicitationAnswer::Decline)
    });
    let page = json!({
        "subtype": "elicitation",
        "mcp_server_name": "crm",
        "message": "Sign in",
        "mode": "url",
        "url": "https://crm.example/in",
        "elicitation_id": "e1",
    });
    answer_to(options.clone(), form()).await;
    answer_to(options, page.clone()).await;

    let asked = events.recv().await.unwrap();
    assert_eq!(asked.raw().parse::<Value>().unwrap(), form());
    assert_eq!(asked.request.mode, Some(ElicitationMode::Form));
    let schema = asked.request.requested_schema.as_ref().unwrap();
    assert_eq!(schema["properties"]["region"]["type"], "string");
    let asked = events.recv().await.unwrap();
    assert_eq!(asked.raw().parse::<Value>().unwrap(), page);
    assert_eq!(asked.request.url.as_deref(), Some("https://crm.example/in"));
    assert_eq!(asked.request.elicitation_id.as_deref(), Some("e1"));
}

#[tokio::test(start_paused = true)]
async fn each_answer_has_its_wire_form() {
    let filled_in = ElicitationAnswer::accept(&json!({"region": "north"})).unwrap();
    let expected = json!({"action": "accept", "content": {"region": "north"}});
    assert_eq!(payload_of(answering(filled_in)).await, expected);
    assert_eq!(
        payload_of(answering(ElicitationAnswer::accept_url())).await,
        json!({"action": "accept"})
    );
    let declined = payload_of(answering(ElicitationAnswer::Decline)).await;
    assert_eq!(declined, json!({"action": "decline"}));
    let cancelled = payload_of(answering(ElicitationAnswer::Cancel)).await;
    assert_eq!(cancelled, json!({"action": "cancel"}));
    ElicitationAnswer::accept(&"north").expect_err("a form is an object");
}

#[tokio::test(start_paused = true)]
async fn elicitation_without_a_handler_is_declined() {
    assert_eq!(
        payload_of(Options::new()).await,
        json!({"action": "decline"})
    );
}

#[tokio::test(start_paused = true)]
async fn failing_handler_cancels() {
    let failing = Options::new()
        .on_elicitation(async |_: Asked<ElicitationRequest>| Err(HandlerError::new("no terminal")));
    assert_eq!(payload_of(failing).await, json!({"action": "cancel"}));
    let panicking = Options::new().on_elicitation(
        async |_: Asked<ElicitationRequest>| -> Result<ElicitationAnswer, HandlerError> {
            panic!("no")
        },
    );
    assert_eq!(payload_of(panicking).await, json!({"action": "cancel"}));
}
