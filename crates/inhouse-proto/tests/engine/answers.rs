use inhouse_proto::control::incoming::{Answer, CanUseTool, RequestKind};
use inhouse_proto::engine::{Event, Notice};
use inhouse_proto::mcp::{ErrorCode, Rpc, ToolCall};
use serde_json::{Value, json};

use crate::{Host, request};

fn ask(id: &str) -> Value {
    json!({"type": "control_request", "request_id": id, "request": {"subtype": "zap", "n": 1}})
}

fn ok(payload: &Value) -> Answer {
    Answer::success(payload).expect("JSON")
}

#[test]
fn answer_has_the_id_of_the_request() {
    let mut host = Host::new();
    let (ticket, received) = request(host.receive(ask("r1")));
    assert!(matches!(&received.kind, RequestKind::Other { subtype } if &**subtype == "zap"));
    host.engine.respond(ticket, ok(&json!({"done": true})));
    assert_eq!(
        host.sent(),
        [json!({
            "type": "control_response",
            "response": {"subtype": "success", "request_id": "r1", "response": {"done": true}},
        })]
    );
}

#[test]
fn requests_are_answered_in_any_order() {
    let mut host = Host::new();
    let tickets: Vec<_> = (0..100)
        .map(|n| request(host.receive(ask(&format!("r{n}")))).0)
        .collect();
    for ticket in tickets.into_iter().rev() {
        let payload = json!({"for": ticket.request_id()});
        host.engine.respond(ticket, ok(&payload));
    }
    let sent = host.sent();
    assert_eq!(sent.len(), 100);
    for (line, n) in sent.iter().zip((0..100).rev()) {
        let id = format!("r{n}");
        assert_eq!(line["response"]["request_id"], id);
        assert_eq!(line["response"]["response"]["for"], id);
    }
}

#[test]
fn duplicate_of_an_open_request_gets_no_answer() {
    let mut host = Host::new();
    let (ticket, _) = request(host.receive(ask("r1")));
    let events = host.receive(ask("r1"));
    assert!(matches!(
        &events[..],
        [Event::Notice(Notice::DuplicateRequest { request_id })] if request_id == "r1"
    ));
    host.engine.respond(ticket, ok(&json!({})));
    assert_eq!(host.sent().len(), 1);
}

#[test]
fn cancelled_request_gets_no_answer() {
    let mut host = Host::new();
    let (ticket, _) = request(host.receive(ask("r1")));
    let events = host.receive(json!({"type": "control_cancel_request", "request_id": "r1"}));
    let [Event::Withdrawn(withdrawn)] = &events[..] else {
        panic!("{events:?}");
    };
    assert_eq!(withdrawn.serial(), ticket.serial());
    assert!(!host.engine.is_open(&ticket));
    host.engine.respond(ticket, ok(&json!({})));
    assert!(host.sent().is_empty());
}

#[test]
fn late_answer_does_not_answer_a_new_request_with_the_same_id() {
    let mut host = Host::new();
    let (old, _) = request(host.receive(ask("r1")));
    host.receive(json!({"type": "control_cancel_request", "request_id": "r1"}));
    let (new, _) = request(host.receive(ask("r1")));
    host.engine.respond(old, ok(&json!("old")));
    host.engine.respond(new, ok(&json!("new")));
    let sent = host.sent();
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0]["response"]["response"], "new");
}

#[test]
fn reused_request_id_gets_another_serial() {
    let mut host = Host::new();
    let (first, _) = request(host.receive(ask("r1")));
    let serial = first.serial();
    host.engine.respond(first, ok(&json!({})));
    let (second, _) = request(host.receive(ask("r1")));
    let (third, _) = request(host.receive(ask("r2")));
    assert_ne!(second.serial(), serial);
    assert_ne!(third.serial(), second.serial());
}

#[test]
fn cancellation_of_an_unknown_request_is_ignored() {
    let mut host = Host::new();
    let events = host.receive(json!({"type": "control_cancel_request", "request_id": "never"}));
    assert!(events.is_empty());
}

#[test]
fn silence_closes_the_request_without_an_answer() {
    let mut host = Host::new();
    let (ticket, _) = request(host.receive(ask("r1")));
    host.engine.respond(ticket, Answer::Silence);
    assert!(host.sent().is_empty());
    request(host.receive(ask("r1")));
}

#[test]
fn control_frames_that_cannot_be_routed_are_reported() {
    let mut host = Host::new();
    for line in [
        json!({"type": "control_request", "request": {"subtype": "zap"}}),
        json!({"type": "control_response"}),
        json!({"type": "control_response", "response": {"subtype": "success"}}),
        json!({"type": "control_cancel_request"}),
    ] {
        let events = host.receive(&line);
        assert!(
            matches!(events[..], [Event::Notice(Notice::MalformedControl { .. })]),
            "{line}: {events:?}"
        );
    }
    assert!(host.sent().is_empty());
}

#[test]
fn request_without_a_body_is_answered_with_an_error() {
    let mut host = Host::new();
    let events = host.receive(json!({"type": "control_request", "request_id": "r1"}));
    assert!(matches!(
        events[..],
        [Event::Notice(Notice::MalformedControl { .. })]
    ));
    let sent = host.sent();
    assert_eq!(sent[0]["response"]["subtype"], "error");
    assert_eq!(sent[0]["response"]["request_id"], "r1");
}

#[test]
fn lone_surrogate_in_the_input_is_replaced() {
    let mut host = Host::new();
    let line = r#"{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"echo \ud83d"},"tool_use_id":"t1"}}"#;
    let (_, received) = request(host.receive(line));
    assert!(received.body.contains(r"echo \ud83d"), "not copied");
    let received: CanUseTool = received.decode().expect("a permission request");
    assert_eq!(received.input["command"], "echo \u{fffd}");
}

#[test]
fn error_beside_a_lone_surrogate_names_the_member() {
    let mut host = Host::new();
    let line = r#"{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"echo \ud83d"},"tool_use_id":"t1","blocked_path":7}}"#;
    let (_, received) = request(host.receive(line));
    let error = received
        .decode::<CanUseTool>()
        .expect_err("a misshapen member");
    assert!(error.to_string().starts_with("blocked_path: "), "{error}");
}

#[test]
fn lone_surrogate_in_a_routing_member_is_replaced() {
    for (id, server) in [("r1", r"a\ud83d"), (r"r\ud83d", "a")] {
        let mut host = Host::new();
        let (_, received) = request(host.receive(format!(
            r#"{{"type":"control_request","request_id":"{id}","request":{{"subtype":"mcp_message","server_name":"{server}","message":{{"jsonrpc":"2.0","method":"ping","id":1}}}}}}"#
        )));
        let RequestKind::Mcp { server_name, .. } = &received.kind else {
            panic!("{received:?}");
        };
        assert_eq!(**server_name, *server.replace(r"\ud83d", "\u{fffd}"));
    }
}

#[test]
fn empty_and_escaped_names_are_read() {
    for (written, meant) in [("", ""), (r"\u0073erver", "server")] {
        let mut host = Host::new();
        let (_, received) = request(host.receive(format!(
            r#"{{"type":"control_request","request_id":"r1","request":{{"subtype":"mcp_message","server_name":"{written}","message":{{"method":"tools/call","params":{{"name":"{written}","arguments":{{}},"_meta":{{"claudecode/toolUseId":"{written}","progressToken":1}}}},"jsonrpc":"2.0","id":1}}}}}}"#
        )));
        let (server_name, call) = match &received.kind {
            RequestKind::ToolCall {
                server_name, call, ..
            } => (server_name, call),
            // The request is routed to the server, which rejects an empty name.
            RequestKind::Mcp { message, .. } => {
                let Ok(Rpc::Request { params, .. }) = Rpc::parse(message) else {
                    panic!("{message:?}");
                };
                let params = params.map(|params| message.part(params));
                let error = ToolCall::parse(params.as_ref()).expect_err("an empty name");
                assert_eq!((error.code, meant), (ErrorCode::INVALID_PARAMS, ""));
                continue;
            }
            other => panic!("{other:?}"),
        };
        assert_eq!((&**server_name, &*call.name), (meant, meant));
        assert_eq!(call.tool_use_id.as_deref(), Some(meant));
    }
}
