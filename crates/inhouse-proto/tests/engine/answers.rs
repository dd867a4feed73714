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
fn a_request_is_answered_under_its_own_id() {
    let mut host = Host::new();
    let (ticket, asked) = request(host.hears(ask("r1")));
    assert!(matches!(&asked.kind, RequestKind::Other { subtype } if &**subtype == "zap"));
    host.engine.respond(ticket, ok(&json!({"done": true})));
    assert_eq!(
        host.says(),
        [json!({
            "type": "control_response",
            "response": {"subtype": "success", "request_id": "r1", "response": {"done": true}},
        })]
    );
}

#[test]
fn answers_may_come_in_any_order() {
    let mut host = Host::new();
    let tickets: Vec<_> = (0..100)
        .map(|n| request(host.hears(ask(&format!("r{n}")))).0)
        .collect();
    for ticket in tickets.into_iter().rev() {
        let payload = json!({"for": ticket.request_id()});
        host.engine.respond(ticket, ok(&payload));
    }
    let said = host.says();
    assert_eq!(said.len(), 100);
    for (line, n) in said.iter().zip((0..100).rev()) {
        let id = format!("r{n}");
        assert_eq!(line["response"]["request_id"], id);
        assert_eq!(line["response"]["response"]["for"], id);
    }
}

#[test]
fn a_duplicate_of_an_open_request_gets_no_second_answer() {
    let mut host = Host::new();
    let (ticket, _) = request(host.hears(ask("r1")));
    let events = host.hears(ask("r1"));
    assert!(matches!(
        &events[..],
        [Event::Notice(Notice::DuplicateRequest { request_id })] if request_id == "r1"
    ));
    host.engine.respond(ticket, ok(&json!({})));
    assert_eq!(host.says().len(), 1);
}

#[test]
fn a_withdrawn_request_gets_no_answer() {
    let mut host = Host::new();
    let (ticket, _) = request(host.hears(ask("r1")));
    let events = host.hears(json!({"type": "control_cancel_request", "request_id": "r1"}));
    let [Event::Withdrawn(withdrawn)] = &events[..] else {
        panic!("{events:?}");
    };
    assert_eq!(withdrawn.serial(), ticket.serial());
    assert!(!host.engine.is_open(&ticket));
    host.engine.respond(ticket, ok(&json!({})));
    assert!(host.says().is_empty());
}

#[test]
fn a_late_answer_does_not_reach_a_new_request_with_the_old_id() {
    let mut host = Host::new();
    let (old, _) = request(host.hears(ask("r1")));
    host.hears(json!({"type": "control_cancel_request", "request_id": "r1"}));
    let (new, _) = request(host.hears(ask("r1")));
    host.engine.respond(old, ok(&json!("old")));
    host.engine.respond(new, ok(&json!("new")));
    let said = host.says();
    assert_eq!(said.len(), 1);
    assert_eq!(said[0]["response"]["response"], "new");
}

#[test]
fn withdrawing_what_is_not_open_is_nothing() {
    let mut host = Host::new();
    let events = host.hears(json!({"type": "control_cancel_request", "request_id": "never"}));
    assert!(events.is_empty());
}

#[test]
fn silence_closes_the_request_without_a_word() {
    let mut host = Host::new();
    let (ticket, _) = request(host.hears(ask("r1")));
    host.engine.respond(ticket, Answer::Silence);
    assert!(host.says().is_empty());
    request(host.hears(ask("r1")));
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
        let events = host.hears(&line);
        assert!(
            matches!(events[..], [Event::Notice(Notice::MalformedControl { .. })]),
            "{line}: {events:?}"
        );
    }
    assert!(host.says().is_empty());
}

#[test]
fn a_request_without_content_is_answered_all_the_same() {
    let mut host = Host::new();
    let events = host.hears(json!({"type": "control_request", "request_id": "r1"}));
    assert!(matches!(
        events[..],
        [Event::Notice(Notice::MalformedControl { .. })]
    ));
    let said = host.says();
    assert_eq!(said[0]["response"]["subtype"], "error");
    assert_eq!(said[0]["response"]["request_id"], "r1");
}

#[test]
fn half_an_emoji_does_not_cost_a_request_its_answer() {
    let mut host = Host::new();
    let line = r#"{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"echo \ud83d"},"tool_use_id":"t1"}}"#;
    let (_, asked) = request(host.hears(line));
    let asked: CanUseTool = asked.decode().expect("a permission request");
    assert_eq!(asked.input["command"], "echo \u{fffd}");
}

#[test]
fn nor_does_it_when_it_stands_where_requests_are_routed_by() {
    for (id, server) in [("r1", r"a\ud83d"), (r"r\ud83d", "a")] {
        let mut host = Host::new();
        let (_, asked) = request(host.hears(format!(
            r#"{{"type":"control_request","request_id":"{id}","request":{{"subtype":"mcp_message","server_name":"{server}","message":{{"jsonrpc":"2.0","method":"ping","id":1}}}}}}"#
        )));
        let RequestKind::Mcp(asked) = &asked.kind else {
            panic!("{asked:?}");
        };
        assert_eq!(*asked.server_name, *server.replace(r"\ud83d", "\u{fffd}"));
    }
}

#[test]
fn names_may_be_empty_or_escaped() {
    for (written, meant) in [("", ""), (r"\u0073erver", "server")] {
        let mut host = Host::new();
        let (_, asked) = request(host.hears(format!(
            r#"{{"type":"control_request","request_id":"r1","request":{{"subtype":"mcp_message","server_name":"{written}","message":{{"method":"tools/call","params":{{"name":"{written}","arguments":{{}},"_meta":{{"claudecode/toolUseId":"{written}","progressToken":1}}}},"jsonrpc":"2.0","id":1}}}}}}"#
        )));
        let (server_name, call) = match &asked.kind {
            RequestKind::ToolCall(asked) => (&asked.server_name, &asked.call),
            // The request is routed, but no tool has an empty name.
            RequestKind::Mcp(asked) => {
                let Ok(Rpc::Request { params, .. }) = Rpc::parse(&asked.message) else {
                    panic!("{asked:?}");
                };
                let params = params.map(|params| asked.message.part(params));
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
