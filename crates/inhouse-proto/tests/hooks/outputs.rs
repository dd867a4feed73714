use std::time::Duration;

use inhouse_proto::control::{PermissionMode, PermissionUpdate, UpdateDestination};
use inhouse_proto::hook::*;
use serde_json::{Value, json};

/// Returns the JSON that is sent for an output.
fn sent<E: HookEvent>(output: HookOutput<E>) -> Value {
    serde_json::to_value(output).expect("the output is serializable")
}

/// Returns the JSON of an output with the given members of `hookSpecificOutput`.
fn specific<E: HookEvent>(members: Value) -> Value {
    let mut members = members;
    members["hookEventName"] = json!(E::NAME);
    json!({ "hookSpecificOutput": members })
}

macro_rules! rows {
    ($( $event:ident: $output:expr => $members:tt; )+) => {
        $( assert_eq!(
            sent::<$event>($output),
            specific::<$event>(json!($members)),
            stringify!($event)
        ); )+
    };
}

/// Has rows for every event with a specific output. The rows cover every documented member that has an effect.
#[test]
fn specific_output_has_event_name_and_documented_members() {
    let pass = "context";
    rows! {
        PreToolUse: HookOutput::allow().update_input(json!({"a": 1})).context(pass) => {
            "permissionDecision": "allow", "updatedInput": {"a": 1}, "additionalContext": "context",
        };
        PreToolUse: HookOutput::deny("no") => {
            "permissionDecision": "deny", "permissionDecisionReason": "no",
        };
        PreToolUse: HookOutput::ask("sure?") => {
            "permissionDecision": "ask", "permissionDecisionReason": "sure?",
        };
        PreToolUse: HookOutput::defer() => {"permissionDecision": "defer"};
        PostToolUse: HookOutput::pass()
            .context(pass)
            .classifier_context("c")
            .update_output(json!({"stdout": "x"}))
            .update_mcp_output("y") => {
            "additionalContext": "context", "classifierContext": "c",
            "updatedToolOutput": {"stdout": "x"}, "updatedMCPToolOutput": "y",
        };
        PostToolUseFailure: HookOutput::pass().context(pass) => {"additionalContext": "context"};
        PostToolBatch: HookOutput::pass().context(pass) => {"additionalContext": "context"};
        Notification: HookOutput::pass().context(pass) => {"additionalContext": "context"};
        UserPromptSubmit: HookOutput::pass()
            .context(pass)
            .session_title("t")
            .suppress_original_prompt() => {
            "additionalContext": "context", "sessionTitle": "t", "suppressOriginalPrompt": true,
        };
        UserPromptExpansion: HookOutput::pass().context(pass).suppress_original_prompt() => {
            "additionalContext": "context", "suppressOriginalPrompt": true,
        };
        SessionStart: HookOutput::pass()
            .context(pass)
            .specific("initialUserMessage", "hi")
            .specific("sessionTitle", "t")
            .watch_paths(["/home/me/a"])
            .reload_skills() => {
            "additionalContext": "context", "initialUserMessage": "hi", "sessionTitle": "t",
            "watchPaths": ["/home/me/a"], "reloadSkills": true,
        };
        Stop: HookOutput::pass().context(pass) => {"additionalContext": "context"};
        SubagentStart: HookOutput::pass().context(pass) => {"additionalContext": "context"};
        SubagentStop: HookOutput::pass().context(pass) => {"additionalContext": "context"};
        PreModelSwitch: HookOutput::deny("stay") => {
            "permissionDecision": "deny", "permissionDecisionReason": "stay",
        };
        PostModelSwitch: HookOutput::pass().context(pass) => {"additionalContext": "context"};
        PermissionRequest: HookOutput::allow() => {"decision": {"behavior": "allow"}};
        PermissionRequest: HookOutput::deny_and_interrupt("no") => {
            "decision": {"behavior": "deny", "message": "no", "interrupt": true},
        };
        PermissionDenied: HookOutput::pass().retry() => {"retry": true};
        Setup: HookOutput::pass().context(pass) => {"additionalContext": "context"};
        Elicitation: HookOutput::pass().specific("action", "accept") => {"action": "accept"};
        ElicitationResult: HookOutput::pass().specific("action", "cancel") => {"action": "cancel"};
        WorktreeCreate: HookOutput::worktree("/home/me/fix") => {"worktreePath": "/home/me/fix"};
        CwdChanged: HookOutput::pass().watch_paths(["/a", "/b"]) => {"watchPaths": ["/a", "/b"]};
        FileChanged: HookOutput::pass().watch_paths::<&str>([]) => {"watchPaths": []};
        MessageDisplay: HookOutput::pass().display("…") => {"displayContent": "…"};
    }
}

#[test]
fn event_without_specific_output_sends_none() {
    assert_eq!(sent::<SessionEnd>(HookOutput::pass()), json!({}));
    assert_eq!(
        sent::<PreCompact>(HookOutput::block("later")),
        json!({"decision": "block", "reason": "later"})
    );
}

#[test]
fn general_members_are_at_the_top_level() {
    let output: HookOutput<PostToolUse> = HookOutput::stop("enough")
        .system_message("stopped")
        .suppress_output()
        .terminal_sequence("\u{7}")
        .context("c");
    assert_eq!(
        sent(output),
        json!({
            "continue": false, "stopReason": "enough", "systemMessage": "stopped",
            "suppressOutput": true, "terminalSequence": "\u{7}",
            "hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "c"},
        })
    );
}

#[test]
fn permission_request_changes_imply_allow_unless_denied() {
    let update =
        PermissionUpdate::set_mode(PermissionMode::AcceptEdits, UpdateDestination::Session);
    let changed = |output: HookOutput<PermissionRequest>| {
        let output = output.update_input(json!({"command": "ls"}));
        sent(output.update_permissions([update.clone()]))["hookSpecificOutput"]["decision"].clone()
    };
    let allowed = json!({
        "behavior": "allow", "updatedInput": {"command": "ls"},
        "updatedPermissions": [{"type": "setMode", "mode": "acceptEdits", "destination": "session"}],
    });
    assert_eq!(changed(HookOutput::allow()), allowed);
    assert_eq!(changed(HookOutput::pass()), allowed);
    let denied = changed(HookOutput::deny("no"));
    assert_eq!(
        (&denied["behavior"], &denied["message"]),
        (&json!("deny"), &json!("no"))
    );
}

#[test]
fn non_object_updated_input_fails_to_serialize() {
    let wrong: HookOutput<PreToolUse> = HookOutput::allow().update_input("ls");
    let error = serde_json::to_value(wrong).unwrap_err().to_string();
    assert!(error.contains("not a JSON object"), "{error}");
    let wrong: HookOutput<PermissionRequest> = HookOutput::allow().update_input(Value::Null);
    assert!(serde_json::to_value(wrong).is_err());
}

#[test]
fn detached_output_has_no_other_members() {
    assert_eq!(sent::<Stop>(HookOutput::detached()), json!({"async": true}));
    let output: HookOutput<PostToolUse> = HookOutput::detached_for(Duration::from_millis(2500));
    assert_eq!(
        sent(output.context("too late")),
        json!({"async": true, "asyncTimeout": 2500})
    );
}

#[test]
fn permission_updates_are_sent_without_nulls() {
    let update = json!({
        "type": "addRules", "behavior": "allow", "destination": "session",
        "rules": [{"toolName": "Bash", "ruleContent": null}],
    });
    let update: PermissionUpdate = serde_json::from_value(update).expect("the update is valid");
    let output: HookOutput<PermissionRequest> = HookOutput::allow().update_permissions([update]);
    let decision = &sent(output)["hookSpecificOutput"]["decision"];
    let rules = &decision["updatedPermissions"][0]["rules"];
    assert_eq!(rules, &json!([{"toolName": "Bash"}]));
}
