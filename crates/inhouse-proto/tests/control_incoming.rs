//! Tests of the requests of the CLI: decoding, encoding of the answers, and answers without a handler.

mod support;

use inhouse_proto::control::incoming::{
    AllowDecision, Answer, CanUseTool, DecisionClassification, DecisionReasonType, DenyDecision,
    DialogAnswer, DialogRequest, ElicitationAnswer, ElicitationMode, ElicitationRequest,
    HostAuthTokenRefresh, IncomingRequest, OauthTokenRefresh, PermissionDecision, RequestKind,
    TokenState,
};
use inhouse_proto::control::{
    PermissionBehavior, PermissionMode, PermissionRule, PermissionUpdate, UpdateDestination,
};
use inhouse_proto::mcp::ToolCall;
use serde::Serialize;
use serde_json::{Map, Value, json};

fn can_use_tool() -> Value {
    json!({
        "subtype": "can_use_tool", "tool_name": "mcp__calc__add", "input": {"a": 2}, "tool_use_id": "toolu_7",
        "permission_suggestions": updates(),
        "blocked_path": "/etc", "decision_reason": "outside", "decision_reason_type": "workingDir",
        "decision_reason_code": "c", "decision_reason_rule_source": "mcpServerPolicy",
        "decision_reason_hook_event": "PreToolUse", "decision_reason_hook_source": "user",
        "classifier_approvable": true,
        "matched_ask_rule": {"source": "session", "tool_name": "Bash", "rule_content": "rm:*"},
        "mcp_server": {"name": "calc", "source": "sdk"},
        "title": "Add?", "display_name": "Add", "description": "Adds",
        "suppress_always_allow_rule": false, "default_to_no": true, "requires_user_interaction": false,
        "agent_id": "a1", "server_policy_ask_only": true, "plugin": {"name": "p"}, "server_prompt": "sure?",
        "computer_folder": {"path": "/x", "computer_name": "box"},
    })
}

fn updates() -> Value {
    json!([
        {"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "ls:*"}], "behavior": "allow", "destination": "localSettings"},
        {"type": "replaceRules", "rules": [{"toolName": "Read"}], "behavior": "deny", "destination": "userSettings"},
        {"type": "removeRules", "rules": [], "behavior": "ask", "destination": "projectSettings"},
        {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
        {"type": "addDirectories", "directories": ["/a"], "destination": "cliArg"},
        {"type": "removeDirectories", "directories": ["/b"], "destination": "session"},
    ])
}

fn elicitation() -> Value {
    json!({
        "subtype": "elicitation", "mcp_server_name": "crm", "message": "Which region?", "mode": "form",
        "url": "https://example.com", "elicitation_id": "e1",
        "requested_schema": {"type": "object", "properties": {"region": {"type": "string"}}},
        "property_order": ["region"], "title": "Region", "display_name": "CRM", "description": "Pick",
    })
}

/// Returns a minimal and a full request of every subtype.
fn requests() -> Vec<Value> {
    let call =
        json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "add"}});
    vec![
        json!({"subtype": "can_use_tool", "tool_name": "Bash", "input": {}, "tool_use_id": "toolu_1"}),
        can_use_tool(),
        json!({"subtype": "hook_callback", "callback_id": "hook_0", "input": {"hook_event_name": "Stop"}}),
        json!({"subtype": "hook_callback", "callback_id": "hook_0", "input": {}, "tool_use_id": "toolu_7"}),
        json!({"subtype": "hook_callback", "callback_id": "hook_0", "input": {}, "tool_use_id": null}),
        json!({"subtype": "mcp_message", "server_name": "calc", "message": call}),
        json!({"subtype": "elicitation", "mcp_server_name": "crm", "message": "Which region?"}),
        elicitation(),
        json!({"subtype": "request_user_dialog", "dialog_kind": "pick_one", "payload": {}}),
        json!({"subtype": "request_user_dialog", "dialog_kind": "pick_one", "payload": {"options": ["a"]}, "tool_use_id": "toolu_8"}),
        json!({"subtype": "oauth_token_refresh"}),
        json!({"subtype": "oauth_token_refresh", "kind": "k", "token_state": "refused", "refused_call": "model"}),
        json!({"subtype": "host_auth_token_refresh"}),
        json!({"subtype": "host_auth_token_refresh", "status": 401}),
    ]
}

fn read(body: &str) -> IncomingRequest {
    IncomingRequest::read(body.to_owned().into())
}

fn encoded(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("the value can be serialized")
}

#[test]
fn every_subtype_is_typed_with_and_without_newer_members() {
    for request in requests() {
        let mut newer = request.clone();
        newer["a_newer_member"] = json!([null, {"kept": 1.5}]);
        for request in [request, newer] {
            let text = request.to_string();
            let incoming = read(&text);
            let is_read = match &incoming.kind {
                RequestKind::CanUseTool => incoming.decode::<CanUseTool>().is_ok(),
                RequestKind::Elicitation => incoming.decode::<ElicitationRequest>().is_ok(),
                RequestKind::UserDialog => incoming.decode::<DialogRequest>().is_ok(),
                RequestKind::Other { subtype } if &**subtype == "oauth_token_refresh" => {
                    incoming.decode::<OauthTokenRefresh>().is_ok()
                }
                RequestKind::Other { subtype } if &**subtype == "host_auth_token_refresh" => {
                    incoming.decode::<HostAuthTokenRefresh>().is_ok()
                }
                RequestKind::Hook(_) | RequestKind::Mcp { .. } | RequestKind::ToolCall { .. } => {
                    true
                }
                _ => false,
            };
            assert!(is_read, "{incoming:?}");
            assert_eq!(incoming.subtype(), request["subtype"]);
        }
    }
}

#[test]
fn permission_request_has_every_documented_member() {
    let text = can_use_tool().to_string();
    let request: CanUseTool = read(&text).decode().expect("a permission request");
    assert_eq!(request.input["a"], 2);
    assert_eq!(
        request.decision_reason_type,
        Some(DecisionReasonType::WorkingDir)
    );
    let suggestions = request.permission_suggestions.expect("the suggestions");
    assert_eq!(encoded(&suggestions), updates());
    assert!(matches!(
        suggestions[..],
        [
            PermissionUpdate::AddRules(_),
            PermissionUpdate::ReplaceRules(_),
            PermissionUpdate::RemoveRules(_),
            PermissionUpdate::SetMode(_),
            PermissionUpdate::AddDirectories(_),
            PermissionUpdate::RemoveDirectories(_),
        ]
    ));
    let server = request.mcp_server.expect("the server of an MCP tool");
    assert_eq!((&*server.name, &*server.source), ("calc", "sdk"));
}

#[test]
fn other_requests_have_every_documented_member() {
    let text = elicitation().to_string();
    let request: ElicitationRequest = read(&text).decode().expect("an elicitation");
    assert_eq!(request.mode, Some(ElicitationMode::Form));

    let text = r#"{"subtype": "oauth_token_refresh", "token_state": "not_refused"}"#;
    let request: OauthTokenRefresh = read(text).decode().expect("a token refresh");
    assert_eq!(request.token_state, Some(TokenState::NotRefused));
}

#[test]
fn messages_and_hook_inputs_are_kept_as_text() {
    let text = r#"{"server_name": "a\u0062c", "message": {"id" : 1.50, "method":"x"}, "subtype": "mcp_message"}"#;
    let RequestKind::Mcp {
        server_name,
        message,
    } = read(text).kind
    else {
        panic!("{text}");
    };
    assert_eq!(&*server_name, "abc");
    assert_eq!(&*message, r#"{"id" : 1.50, "method":"x"}"#);

    let text = r#"{"subtype": "hook_callback", "callback_id": "hook_0", "input": {"cwd" : "/"}, "tool_use_id": "t"}"#;
    let RequestKind::Hook(request) = read(text).kind else {
        panic!("{text}");
    };
    assert_eq!(&*request.input, r#"{"cwd" : "/"}"#);
    assert_eq!(request.tool_use_id.as_deref(), Some("t"));
}

#[test]
fn unknown_suggestion_is_kept() {
    let request = json!({
        "subtype": "can_use_tool", "tool_name": "Bash", "input": {}, "tool_use_id": "t",
        "permission_suggestions": [{"type": "addLimits"}, {"type": "setMode", "mode": 1}],
    });
    let text = request.to_string();
    let typed: CanUseTool = read(&text).decode().expect("a permission request");
    let suggestions = typed.permission_suggestions.as_deref().expect("a list");
    assert!(matches!(
        suggestions,
        [PermissionUpdate::Unknown(_), PermissionUpdate::Unknown(_)]
    ));
    assert_eq!(encoded(&suggestions), request["permission_suggestions"]);
}

/// Lenient decoding of `blocked_path` or `agent_id` would fail open: the host would decide without that information.
#[test]
fn misshapen_member_of_a_decision_is_an_error() {
    for (member, value) in [
        ("title", json!(5)),
        ("blocked_path", json!({"path": "/etc"})),
        ("agent_id", json!(["a"])),
        ("input", Value::Null),
    ] {
        let mut request = can_use_tool();
        request[member] = value;
        let text = request.to_string();
        assert!(read(&text).decode::<CanUseTool>().is_err(), "{text}");
    }
}

#[test]
fn unreadable_request_is_kept_whole_and_refused() {
    for (text, subtype, reason) in [
        (
            r#"{"subtype": "can_use_tool", "tool_name": "Bash"}"#,
            "can_use_tool",
            "missing field `input`",
        ),
        (
            r#"{"subtype": "mcp_message", "server_name": "calc"}"#,
            "mcp_message",
            "`message` is missing",
        ),
        (
            r#"{"subtype": "mcp_message", "server_name": 1, "message": {}}"#,
            "mcp_message",
            "`server_name` or `message` is missing",
        ),
        (
            r#"{"subtype": "hook_callback", "input": {}}"#,
            "hook_callback",
            "`callback_id`",
        ),
        (
            r#"{"subtype": "ui_copy", "text": "x"}"#,
            "ui_copy",
            "Unsupported control request subtype: ui_copy",
        ),
        (r#"{"text": "x"}"#, "", "`subtype` is missing"),
        ("[]", "", "not an object"),
    ] {
        let request = read(text);
        assert_eq!((request.subtype(), &*request.body), (subtype, text));
        let answer = shown(request.unhandled());
        let error = answer["error"].as_str().expect("an error");
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn tool_call_is_read_in_any_order_of_members() {
    for text in [
        r#"{"subtype":"mcp_message","server_name":"calc","message":{"method":"tools/call","params":{"name":"add","arguments":{"a":1},"_meta":{"claudecode/toolUseId":"toolu_1","progressToken":2}},"jsonrpc":"2.0","id":3}}"#,
        r#"{"message" : {"id":3, "params":{"_meta":{"x":[], "progressToken":2,"claudecode/toolUseId":"toolu_1"},"arguments":{"a":1},"task":{},"name":"a\u0064d"},"method":"tools\/call"},"newer":1,"server_name":"calc","subtype":"mcp_message"}"#,
    ] {
        let RequestKind::ToolCall {
            server_name,
            id,
            params,
            call,
        } = read(text).kind
        else {
            panic!("{text}");
        };
        assert_eq!((&*server_name, &*id), ("calc", "3"));
        assert_eq!(ToolCall::parse(Some(&params)).as_ref(), Ok(&*call));
        assert_eq!((&*call.name, &*call.arguments), ("add", r#"{"a":1}"#));
        assert_eq!(call.tool_use_id.as_deref(), Some("toolu_1"));
        assert_eq!(call.progress_token.as_deref(), Some("2"));
    }
}

#[test]
fn invalid_tool_call_is_left_to_the_server() {
    for params in [
        "7",
        "{}",
        r#"{"name":""}"#,
        r#"{"name":7}"#,
        r#"{"name":"add","arguments":[]}"#,
    ] {
        let text = format!(
            r#"{{"subtype":"mcp_message","server_name":"calc","message":{{"method":"tools/call","params":{params},"id":3}}}}"#
        );
        assert!(
            matches!(read(&text).kind, RequestKind::Mcp { .. }),
            "{text}"
        );
    }
}

/// Returns an answer as JSON.
fn shown(answer: Answer) -> Value {
    match answer {
        Answer::Success(payload) => {
            json!({"success": serde_json::from_str::<Value>(payload.as_str()).expect("JSON")})
        }
        Answer::Error { message, code } => json!({"error": message, "code": code}),
        Answer::Silence => json!("silence"),
    }
}

fn unhandled(request: &Value) -> Value {
    shown(read(&request.to_string()).unhandled())
}

#[test]
fn without_a_handler_requests_are_refused_with_a_helpful_error() {
    let answer = unhandled(&can_use_tool());
    let message = answer["error"].as_str().expect("an error");
    assert!(
        message.contains("mcp__calc__add") && message.contains("permission handler"),
        "{message}"
    );
    assert_eq!(answer["code"], Value::Null);

    let answer =
        unhandled(&json!({"subtype": "hook_callback", "callback_id": "hook_9", "input": {}}));
    let message = answer["error"].as_str().expect("an error");
    assert!(message.contains("hook_9"), "{message}");

    for subtype in ["oauth_token_refresh", "host_auth_token_refresh"] {
        let answer = unhandled(&json!({"subtype": subtype}));
        let message = answer["error"].as_str().expect("an error");
        assert!(message.contains(subtype), "{message}");
    }
}

#[test]
fn without_a_server_a_call_fails_and_a_notification_is_acknowledged() {
    let to_unknown_server = |message: Value| {
        unhandled(&json!({"subtype": "mcp_message", "server_name": "missing", "message": message}))
    };
    for id in [json!(7), json!(0), json!("seven")] {
        let answer = to_unknown_server(json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"}));
        let response = &answer["success"]["mcp_response"];
        assert_eq!(
            (&response["jsonrpc"], &response["id"]),
            (&json!("2.0"), &id)
        );
        assert_eq!(response["error"]["code"], -32601);
        let message = response["error"]["message"].as_str().expect("a message");
        assert!(message.contains("missing"), "{message}");
        assert_eq!(response.get("result"), None);
    }
    for without_response in [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": null, "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 3, "result": {}}),
    ] {
        assert_eq!(
            to_unknown_server(without_response),
            json!({"success": {"mcp_response": {"jsonrpc": "2.0", "id": 0, "result": {}}}})
        );
    }
    assert!(to_unknown_server(json!("hello"))["error"].is_string());
}

#[test]
fn without_a_handler_the_rest_is_declined_ignored_or_unsupported() {
    assert_eq!(
        unhandled(&elicitation()),
        json!({"success": {"action": "decline"}})
    );
    for silent in [
        json!({"subtype": "request_user_dialog", "dialog_kind": "pick_one", "payload": {}}),
        json!({"subtype": "request_user_dialog", "misshapen": true}),
        json!({"subtype": "remote_tool_call"}),
        json!({"subtype": "remote_plumbing_call"}),
        json!({"subtype": "remote_tools_probe"}),
        json!({"subtype": "remote_tools_reannounce"}),
    ] {
        assert_eq!(unhandled(&silent), "silence", "{silent}");
    }
    for subtype in ["remote_control_work_secret", "ui_copy", "zap"] {
        assert_eq!(
            unhandled(&json!({"subtype": subtype})),
            json!({
                "error": format!("Unsupported control request subtype: {subtype}"),
                "code": "unsupported_request",
            })
        );
    }
    let answer = unhandled(&json!({"subtype": "can_use_tool", "tool_name": "Bash"}));
    let message = answer["error"].as_str().expect("an error");
    assert!(
        message.contains("can_use_tool") && message.contains("input"),
        "{message}"
    );
}

#[test]
fn answers_omit_members_that_are_not_set() {
    let input: Map<String, Value> = [("a".to_owned(), json!(1))].into_iter().collect();
    let allow = AllowDecision::new(input);
    assert_eq!(
        encoded(&PermissionDecision::from(allow.clone())),
        json!({"behavior": "allow", "updatedInput": {"a": 1}})
    );
    let mut full = allow;
    full.updated_permissions = Some(vec![PermissionUpdate::add_rules(
        [PermissionRule::new("Bash")],
        PermissionBehavior::Allow,
        UpdateDestination::Session,
    )]);
    full.tool_use_id = Some("toolu_7".to_owned());
    full.decision_classification = Some(DecisionClassification::UserPermanent);
    assert_eq!(
        encoded(&PermissionDecision::from(full)),
        json!({
            "behavior": "allow", "updatedInput": {"a": 1}, "toolUseID": "toolu_7",
            "decisionClassification": "user_permanent",
            "updatedPermissions": [{
                "type": "addRules", "rules": [{"toolName": "Bash"}],
                "behavior": "allow", "destination": "session",
            }],
        })
    );
    let mut deny = DenyDecision::new("no");
    assert_eq!(
        encoded(&PermissionDecision::from(deny.clone())),
        json!({"behavior": "deny", "message": "no"})
    );
    deny.interrupt = Some(true);
    assert_eq!(
        encoded(&PermissionDecision::from(deny)),
        json!({"behavior": "deny", "message": "no", "interrupt": true})
    );

    let accept = |content| encoded(&ElicitationAnswer::Accept { content });
    assert_eq!(accept(None), json!({"action": "accept"}));
    assert_eq!(
        accept(Some(Map::new())),
        json!({"action": "accept", "content": {}})
    );
    assert_eq!(
        encoded(&ElicitationAnswer::Cancel),
        json!({"action": "cancel"})
    );
    assert_eq!(
        encoded(&DialogAnswer::Completed { result: json!("a") }),
        json!({"behavior": "completed", "result": "a"})
    );
    assert_eq!(
        encoded(&DialogAnswer::Cancelled),
        json!({"behavior": "cancelled"})
    );
}

#[test]
fn permission_updates_can_be_built() {
    let built: Vec<PermissionUpdate> = vec![
        PermissionUpdate::add_rules(
            [PermissionRule::new("Bash").content("ls:*")],
            PermissionBehavior::Allow,
            UpdateDestination::LocalSettings,
        ),
        PermissionUpdate::replace_rules(
            [PermissionRule::new("Read")],
            PermissionBehavior::Deny,
            UpdateDestination::UserSettings,
        ),
        PermissionUpdate::remove_rules(
            [],
            PermissionBehavior::Ask,
            UpdateDestination::ProjectSettings,
        ),
        PermissionUpdate::set_mode(PermissionMode::AcceptEdits, UpdateDestination::Session),
        PermissionUpdate::add_directories(["/a"], UpdateDestination::CliArg),
        PermissionUpdate::remove_directories(["/b"], UpdateDestination::Session),
    ];
    assert_eq!(encoded(&built), updates());
}
