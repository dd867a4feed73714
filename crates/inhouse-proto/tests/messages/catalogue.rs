use std::collections::BTreeSet;

use inhouse_proto::message::{Message, TranscriptMirror};
use serde_json::{Value, json};

use crate::examples::{all, full, minimal, tag};
use crate::support::{assert_deep_equal, is_tag, unread};

/// The tags of all typed messages.
const TAGS: [&str; 52] = [
    "assistant",
    "user",
    "result/success",
    "result/error_during_execution",
    "result/error_max_turns",
    "result/error_max_budget_usd",
    "result/error_max_structured_output_retries",
    "stream_event",
    "tool_progress",
    "auth_status",
    "tool_use_summary",
    "attachment",
    "rate_limit_event",
    "prompt_suggestion",
    "conversation_reset",
    "active_goal",
    "autocompact_state",
    "command_lifecycle",
    "inhouse_gap",
    "system/init",
    "system/compact_boundary",
    "system/status",
    "system/api_retry",
    "system/control_request_progress",
    "system/model_refusal_fallback",
    "system/model_refusal_no_fallback",
    "system/local_command_output",
    "system/hook_started",
    "system/hook_progress",
    "system/hook_response",
    "system/plugin_install",
    "system/task_started",
    "system/task_updated",
    "system/task_progress",
    "system/task_notification",
    "system/background_tasks_changed",
    "system/thinking_tokens",
    "system/session_state_changed",
    "system/worker_shutting_down",
    "system/commands_changed",
    "system/notification",
    "system/files_persisted",
    "system/memory_recall",
    "system/elicitation_complete",
    "system/permission_denied",
    "system/informational",
    "system/session_writes_lost",
    "system/mirror_error",
    "system/post_turn_summary",
    "system/task_summary",
    "system/session_metadata",
    "system/session_title_changed",
];

#[test]
fn every_tag_has_a_minimal_and_a_full_example() {
    let tags: BTreeSet<_> = TAGS.map(str::to_owned).into();
    let minimal: BTreeSet<_> = minimal().iter().map(tag).collect();
    assert_eq!(minimal, tags);

    // The four error results differ only in the subtype, so one full example is enough.
    let full: BTreeSet<_> = full().iter().map(tag).collect();
    let missing: Vec<_> = tags.difference(&full).collect();
    assert_eq!(
        missing,
        [
            "result/error_max_budget_usd",
            "result/error_max_structured_output_retries",
            "result/error_max_turns",
        ]
    );
}

#[test]
fn examples_decode_to_typed_messages_and_round_trip() {
    for line in all() {
        let message = decode(&line);
        assert!(!matches!(message, Message::Unknown(_)), "{message:?}");
        assert_eq!(message.tag(), tag(&line));
        assert_deep_equal(&encode(&message), &line);
    }
}

#[test]
fn every_known_member_has_a_field() {
    for line in full() {
        let shown = |line: &Value| format!("{:?}", decode(line));
        let mut unread = unread(&line, &shown);
        // Tags select the type and have no field.
        unread.retain(|path| !is_tag(path));
        assert_eq!(unread, BTreeSet::new(), "{line}");
        let shown = shown(&line);
        assert!(!shown.contains("Unknown("), "{shown}");
    }
}

#[test]
fn ids_are_read_from_every_message() {
    for mut line in all() {
        if line["type"] == "inhouse_gap" {
            continue;
        }
        line["uuid"] = json!("the-uuid");
        line["session_id"] = json!("the-session");
        let message = decode(&line);
        assert_eq!(message.uuid(), Some("the-uuid"), "{message:?}");
        assert_eq!(message.session_id(), Some("the-session"), "{message:?}");
    }
    for kind in ["assistant", "user", "stream_event", "tool_progress", "zap"] {
        let mut line = minimal()
            .into_iter()
            .find(|line| line["type"] == kind)
            .unwrap_or_else(|| json!({"type": kind}));
        assert_eq!(decode(&line).parent_tool_use_id(), None);
        line["parent_tool_use_id"] = json!("toolu_1");
        assert_eq!(decode(&line).parent_tool_use_id(), Some("toolu_1"));
    }
}

#[test]
fn transcript_mirror_decodes_to_a_separate_type() {
    let line = json!({
        "type": "transcript_mirror",
        "filePath": "/config/projects/p/s.jsonl",
        "entries": [{"type": "user"}],
    });
    let mirror: TranscriptMirror =
        serde_json::from_str(&line.to_string()).expect("the line is a transcript mirror");
    assert_eq!(mirror.file_path, "/config/projects/p/s.jsonl");
    assert_eq!(mirror.entries.len(), 1);
}

#[test]
fn message_is_at_most_104_bytes() {
    assert!(size_of::<Message>() <= 104, "{}", size_of::<Message>());
}

fn decode(line: &Value) -> Message {
    Message::decode(line.to_string().as_bytes()).expect("the line is a JSON object")
}

fn encode(message: &Message) -> Value {
    serde_json::to_value(message).expect("messages serialize to JSON")
}
