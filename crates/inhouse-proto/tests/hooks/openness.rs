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
