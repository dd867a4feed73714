use inhouse_proto::engine::{Event, Notice, Outcome};
use serde_json::{Value, json};

use crate::Host;

fn reply(response: Value) -> Value {
    json!({"type": "control_response", "response": response})
}

fn outcome(events: Vec<Event>) -> Outcome {
    match <[Event; 1]>::try_from(events) {
        Ok([Event::Reply { outcome, .. }]) => outcome,
        other => panic!("expected one reply, got {other:?}"),
    }
}

#[test]
fn reply_is_matched_by_the_id_of_the_request() {
    let mut host = Host::new();
    let first = host.engine.request(r#"{"subtype":"a"}"#, None);
    let second = host.engine.request("{\n\"subtype\": \"b\"\n}", None);
    assert_ne!(first, second);
    let sent = host.sent();
    assert_eq!(sent[0]["request"], json!({"subtype": "a"}));
    assert_eq!(sent[1]["request"], json!({"subtype": "b"}));

    let id = &sent[1]["request_id"];
    let events = host.receive(reply(
        json!({"subtype": "success", "request_id": id, "response": {"x": 1}}),
    ));
    let [
        Event::Reply {
            id,
            outcome: Outcome::Success(Some(payload)),
        },
    ] = &events[..]
    else {
        panic!("{events:?}");
    };
    assert_eq!(*id, second);
    assert_eq!(&payload[..], br#"{"x":1}"#);
}

#[test]
fn success_without_a_payload_is_accepted() {
    let mut host = Host::new();
    let id = host.engine.request("{}", None).to_string();
    let events = host.receive(reply(json!({"subtype": "success", "request_id": id})));
    assert_eq!(outcome(events), Outcome::Success(None));
}

#[test]
fn refusal_has_a_message_and_a_code() {
    let mut host = Host::new();
    let id = host.engine.request("{}", None).to_string();
    let events = host.receive(reply(
        json!({"subtype": "error", "request_id": id, "error": "no", "error_code": "bad"}),
    ));
    let refused = Outcome::Refused {
        message: "no".to_owned(),
        code: Some("bad".to_owned()),
    };
    assert_eq!(outcome(events), refused);
}

#[test]
fn reply_without_an_open_request_is_reported() {
    let mut host = Host::new();
    let id = host.engine.request("{}", None).to_string();
    let line = reply(json!({"subtype": "success", "request_id": id}));
    outcome(host.receive(&line));
    for line in [
        line,
        reply(json!({"subtype": "success", "request_id": "h99"})),
        reply(json!({"subtype": "success", "request_id": "not ours"})),
    ] {
        let events = host.receive(&line);
        assert!(
            matches!(events[..], [Event::Notice(Notice::UnmatchedReply { .. })]),
            "{events:?}"
        );
    }
}

#[test]
fn pending_requests_of_the_initialize_reply_are_opened() {
    let mut host = Host::new();
    let id = host.engine.request("{}", None).to_string();
    let open = |id: &str| json!({"type": "control_request", "request_id": id, "request": {"subtype": "can_use_tool"}});
    let line = reply(json!({
        "subtype": "success",
        "request_id": id,
        "response": {},
        "pending_permission_requests": [open("p1"), open("p1")],
        "pending_user_dialog_requests": [open("p2")],
        "pending_elicitation_requests": [open("p3")],
    }));
    let ids: Vec<String> = host
        .receive(line)
        .iter()
        .filter_map(|event| match event {
            Event::Request(ticket, _) => Some(ticket.request_id().to_owned()),
            _ => None,
        })
        .collect();
    assert_eq!(ids, ["p1", "p2", "p3"]);
}

#[test]
fn cancelled_request_has_no_reply() {
    let mut host = Host::new();
    let id = host.engine.request("{}", None);
    host.engine.withdraw(id);
    host.engine.withdraw(id);
    let sent = host.sent();
    assert_eq!(sent.len(), 2, "the request and one cancellation: {sent:?}");
    assert_eq!(sent[1]["type"], "control_cancel_request");
    assert_eq!(sent[1]["request_id"], sent[0]["request_id"]);
    let events = host.receive(reply(
        json!({"subtype": "success", "request_id": id.to_string()}),
    ));
    assert!(matches!(events[..], [Event::Notice(_)]), "{events:?}");
}

#[test]
fn lone_surrogate_in_a_reply_is_replaced() {
    let mut host = Host::new();
    let id = host.engine.request("{}", None);
    let line = format!(
        r#"{{"type":"control_response","response":{{"subtype":"error","request_id":"{id}","error":"no \ud83d"}}}}"#
    );
    let refused = Outcome::Refused {
        message: "no \u{fffd}".to_owned(),
        code: None,
    };
    assert_eq!(outcome(host.receive(line)), refused);
}
