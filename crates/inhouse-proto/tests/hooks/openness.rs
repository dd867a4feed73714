use inhouse_proto::control::PermissionMode;
use inhouse_proto::hook::{HookEvent, PreToolUse, SessionSource, SessionStart};
use serde_json::json;

#[test]
fn unknown_enum_value_is_kept_as_text() {
    let input = json!({
        "session_id": "s", "transcript_path": "t", "cwd": "/", "hook_event_name": "SessionStart",
        "source": "teleport", "permission_mode": "dreamy",
    });
    let event = SessionStart::decode(&input.to_string()).unwrap();
    assert_eq!(event.source, SessionSource::Unknown("teleport".to_owned()));
    assert_eq!(
        event.common.permission_mode,
        Some(PermissionMode::Unknown("dreamy".to_owned()))
    );
}

#[test]
fn non_object_input_is_rejected() {
    for input in ["null", "[]", "\"PreToolUse\"", "{"] {
        assert!(PreToolUse::decode(input).is_err(), "{input}");
    }
}

/// serde buffers the members of a flattened struct; a misshapen one must still be an error, because a guard that reads
/// `agent_id` as `None` would decide for the wrong agent.
#[test]
fn misshapen_common_member_is_an_error() {
    let input = json!({
        "session_id": "s", "transcript_path": "t", "cwd": "/", "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {}, "tool_use_id": "u", "agent_id": "a",
    });
    let event = PreToolUse::decode(&input.to_string()).unwrap();
    assert_eq!(event.common.agent_id.as_deref(), Some("a"));
    for (member, value) in [
        ("agent_id", json!(5)),
        ("agent_type", json!(["a"])),
        ("effort", json!(5)),
        ("permission_mode", json!({})),
        ("cwd", json!(null)),
    ] {
        let mut input = input.clone();
        input[member] = value;
        assert!(
            PreToolUse::decode(&input.to_string()).is_err(),
            "{member}: {input}"
        );
    }
}
