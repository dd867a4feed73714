use std::collections::BTreeSet;

use inhouse_proto::message::{Message, TranscriptMirror};
use serde_json::{Value, json};

use crate::examples::{all, full, minimal, tag};
use crate::support::{assert_deep_equal, is_tag, unread};

/// Everything that a reader can get, by its tag.
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
fn every_kind_has_a_minimal_and_a_full_example() {
    let tags: BTreeSet<_> = TAGS.map(str::to_owned).into();
    let minimal: BTreeSet<_> = minimal().iter().map(tag).collect();
    assert_eq!(minimal, tags);

    // The four failures of a result differ in nothing but the subtype: one full example is enough.
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
fn every_example_is_typed_and_written_back() {
    for line in all() {
        let message = decode(&line);
        assert!(!matches!(message, Message::Unknown(_)), "{message:?}");
        assert_eq!(message.tag(), tag(&line));
        assert_deep_equal(&encode(&message), &line);
    }
}

#[test]
fn no_known_member_is_without_a_field() {
    for line in full() {
        let shown = |line: &Value| format!("{:?}", decode(line));
        let mut unread = unread(&line, &shown);
        // The tags tell which type it is.
        unread.retain(|path| !is_tag(path));
        assert_eq!(unread, BTreeSet::new(), "{line}");
        let shown = shown(&line);
        assert!(!shown.contains("Unknown("), "{shown}");
    }
}

#[test]
fn the_ids_are_read_from_every_kind() {
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
fn a_transcript_mirror_is_typed_outside_of_the_messages() {
    let line = json!({
        "type": "transcript_mirror",
        "filePath": "/config/projects/p/s.jsonl",
        "entries": [{"type": "user"}],
    });
    let mirror: TranscriptMirror = serde_json::from_str(&line.to_string()).expect("it is one");
    assert_eq!(mirror.file_path, "/config/projects/p/s.jsonl");
    assert_eq!(mirror.entries.len(), 1);
}

#[test]
fn a_message_is_cheap_to_move() {
    assert!(size_of::<Message>() <= 104, "{}", size_of::<Message>());
}

fn decode(line: &Value) -> Message {
    Message::decode(line.to_string().as_bytes()).expect("it is an object")
}

fn encode(message: &Message) -> Value {
    serde_json::to_value(message).expect("it is JSON")
}
