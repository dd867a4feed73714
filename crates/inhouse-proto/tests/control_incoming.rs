//! Every request of the CLI: decoded, encoded again, and what is answered without a handler.

mod support;

use inhouse_proto::control::incoming::{
    AllowDecision, Answer, DecisionClassification, DecisionReasonType, DenyDecision, DialogAnswer,
    ElicitationAnswer, ElicitationMode, Incoming, PermissionDecision, TokenState,
};
use inhouse_proto::control::{
    AddDirectories, AddRules, PermissionBehavior, PermissionMode, PermissionRule, PermissionUpdate,
    RemoveDirectories, RemoveRules, ReplaceRules, SetMode, UpdateDestination,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use support::assert_deep_equal;

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

/// One minimal and one full request of every subtype.
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

fn encoded(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("it is serializable")
}

#[test]
fn every_subtype_is_typed_and_loses_nothing() {
    for request in requests() {
        let mut newer = request.clone();
        newer["a_newer_member"] = json!([null, {"kept": 1.5}]);
        for request in [request, newer] {
            let text = request.to_string();
            let incoming = Incoming::decode(&text);
            assert!(!matches!(incoming, Incoming::Unknown(_)), "{incoming:?}");
            assert_eq!(incoming.subtype(), request["subtype"]);
            let back: Value = serde_json::from_str(
                &serde_json::to_string(&incoming).expect("it is serializable"),
            )
            .expect("it is JSON");
            assert_deep_equal(&back, &request);
        }
    }
}

#[test]
fn a_permission_request_has_every_documented_member() {
    let text = can_use_tool().to_string();
    let Incoming::CanUseTool(request) = Incoming::decode(&text) else {
        panic!("{text}");
    };
    assert!(request.extra.is_empty(), "{:?}", request.extra);
    assert_eq!(request.input["a"], 2);
    assert_eq!(
        request.decision_reason_type,
        Some(DecisionReasonType::WorkingDir)
    );
    let suggestions = request.permission_suggestions.expect("there are some");
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
    let server = request.mcp_server.expect("it is an MCP tool");
    assert_eq!((&*server.name, &*server.source), ("calc", "sdk"));
}

#[test]
fn the_others_have_every_documented_member() {
    let text = elicitation().to_string();
    let Incoming::Elicitation(request) = Incoming::decode(&text) else {
        panic!("{text}");
    };
    assert!(request.extra.is_empty(), "{:?}", request.extra);
    assert_eq!(request.mode, Some(ElicitationMode::Form));

    let text = r#"{"subtype": "oauth_token_refresh", "token_state": "not_refused"}"#;
    let Incoming::OauthTokenRefresh(request) = Incoming::decode(text) else {
        panic!("{text}");
    };
    assert_eq!(request.token_state, Some(TokenState::NotRefused));
}

#[test]
fn large_values_are_passed_on_as_they_came() {
    let text = r#"{"server_name": "a\u0062c", "message": {"id" : 1.50, "method":"x"}, "subtype": "mcp_message"}"#;
    let Incoming::McpMessage(request) = Incoming::decode(text) else {
        panic!("{text}");
    };
    assert_eq!(request.server_name, "abc");
    assert_eq!(request.message, r#"{"id" : 1.50, "method":"x"}"#);

    let text = r#"{"subtype": "hook_callback", "callback_id": "hook_0", "input": {"cwd" : "/"}, "tool_use_id": "t"}"#;
    let Incoming::HookCallback(request) = Incoming::decode(text) else {
        panic!("{text}");
    };
    assert_eq!(request.input.get(), r#"{"cwd" : "/"}"#);
    assert_eq!(request.tool_use_id.as_deref(), Some("t"));
}

#[test]
fn a_surprise_costs_one_member_and_not_the_request() {
    let request = json!({
        "subtype": "can_use_tool", "tool_name": "Bash", "input": {}, "tool_use_id": "t",
        "title": 5, "permission_suggestions": [{"type": "addWishes"}, {"type": "setMode", "mode": 1}],
    });
    let text = request.to_string();
    let Incoming::CanUseTool(typed) = Incoming::decode(&text) else {
        panic!("{text}");
    };
    assert_eq!(typed.title, None);
    let suggestions = typed.permission_suggestions.as_deref().expect("a list");
    assert!(matches!(
        suggestions,
        [PermissionUpdate::Unknown(_), PermissionUpdate::Unknown(_)]
    ));
    assert_eq!(encoded(&typed), request);
}

#[test]
fn what_cannot_be_typed_is_kept_whole() {
    for (text, subtype, reason) in [
        (
            r#"{"subtype": "can_use_tool", "tool_name": "Bash"}"#,
            "can_use_tool",
            Some("input"),
        ),
        (
            r#"{"subtype": "mcp_message", "server_name": "calc"}"#,
            "mcp_message",
            Some("message"),
        ),
        (
            r#"{"subtype": "mcp_message", "server_name": 1, "message": {}}"#,
            "mcp_message",
            Some("server_name"),
        ),
        (
            r#"{"subtype": "hook_callback", "input": {}}"#,
            "hook_callback",
            Some("callback_id"),
        ),
        (r#"{"subtype": "ui_copy", "text": "x"}"#, "ui_copy", None),
        (r#"{"text": "x"}"#, "", Some("subtype")),
        ("[]", "", Some("an object")),
    ] {
        let Incoming::Unknown(unknown) = Incoming::decode(text) else {
            panic!("{text}");
        };
        assert_eq!((&*unknown.subtype, unknown.raw), (subtype, text));
        match (&unknown.reason, reason) {
            (Some(found), Some(expected)) => assert!(found.contains(expected), "{found}"),
            (found, expected) => assert_eq!(found.as_deref(), expected, "{text}"),
        }
        assert_eq!(
            encoded(&unknown),
            serde_json::from_str::<Value>(text).expect("JSON")
        );
    }
}

/// What the wire shows of an answer.
fn shown(answer: Answer) -> Value {
    match answer {
        Answer::Success(payload) => {
            json!({"success": serde_json::from_str::<Value>(&payload.to_text()).expect("JSON")})
        }
        Answer::Error { message, code } => json!({"error": message, "code": code}),
        Answer::Silence => json!("silence"),
    }
}

fn unhandled(request: &Value) -> Value {
    shown(Incoming::decode(&request.to_string()).unhandled())
}

#[test]
fn without_a_handler_no_tool_runs_and_the_error_helps() {
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
    let to_nobody = |message: Value| {
        unhandled(&json!({"subtype": "mcp_message", "server_name": "nobody", "message": message}))
    };
    for id in [json!(7), json!(0), json!("seven")] {
        let answer = to_nobody(json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"}));
        let response = &answer["success"]["mcp_response"];
        assert_eq!(
            (&response["jsonrpc"], &response["id"]),
            (&json!("2.0"), &id)
        );
        assert_eq!(response["error"]["code"], -32601);
        let message = response["error"]["message"].as_str().expect("a message");
        assert!(message.contains("nobody"), "{message}");
        assert_eq!(response.get("result"), None);
    }
    for fire_and_forget in [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": null, "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 3, "result": {}}),
    ] {
        assert_eq!(
            to_nobody(fire_and_forget),
            json!({"success": {"mcp_response": {"jsonrpc": "2.0", "id": 0, "result": {}}}})
        );
    }
    assert!(to_nobody(json!("hello"))["error"].is_string());
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
fn answers_leave_out_what_is_not_set() {
    let input: Map<String, Value> = [("a".to_owned(), json!(1))].into_iter().collect();
    let allow = AllowDecision::new(input);
    assert_eq!(
        encoded(&PermissionDecision::from(allow.clone())),
        json!({"behavior": "allow", "updatedInput": {"a": 1}})
    );
    let mut full = allow;
    full.updated_permissions = Some(vec![
        AddRules::new(
            [PermissionRule::new("Bash")],
            PermissionBehavior::Allow,
            UpdateDestination::Session,
        )
        .into(),
    ]);
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
        AddRules::new(
            [PermissionRule::new("Bash").content("ls:*")],
            PermissionBehavior::Allow,
            UpdateDestination::LocalSettings,
        )
        .into(),
        ReplaceRules::new(
            [PermissionRule::new("Read")],
            PermissionBehavior::Deny,
            UpdateDestination::UserSettings,
        )
        .into(),
        RemoveRules::new(
            [],
            PermissionBehavior::Ask,
            UpdateDestination::ProjectSettings,
        )
        .into(),
        SetMode::new(PermissionMode::AcceptEdits, UpdateDestination::Session).into(),
        AddDirectories::new(["/a"], UpdateDestination::CliArg).into(),
        RemoveDirectories::new(["/b"], UpdateDestination::Session).into(),
    ];
    assert_eq!(encoded(&built), updates());
}
