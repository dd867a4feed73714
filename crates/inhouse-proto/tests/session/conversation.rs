//! The latest branch of a transcript.

use inhouse_proto::session::ConversationKind;
use serde_json::json;

use crate::support::{assistant, entry, messages, order, user};

#[test]
fn linear_conversation_is_read_in_order() {
    let lines = [
        user("a", ""),
        assistant("b", "a"),
        user("c", "b"),
        assistant("d", "c"),
    ];
    assert_eq!(messages(&lines), ["a", "b", "c", "d"]);
}

#[test]
fn conversation_without_messages_is_empty() {
    assert_eq!(messages(&[]), [""; 0]);
    let attachment = entry(
        "attachment",
        "a",
        "",
        json!({"attachment": {"type": "date"}}),
    );
    assert_eq!(messages(&[attachment]), [""; 0]);
}

#[test]
fn latest_branch_is_the_conversation() {
    let lines = [
        user("a", ""),
        assistant("b", "a"),
        user("old", "b"),
        assistant("old answer", "old"),
        user("new", "b"),
        assistant("new answer", "new"),
    ];
    assert_eq!(messages(&lines), ["a", "b", "new", "new answer"]);
}

#[test]
fn attachments_link_messages_and_are_not_shown() {
    let snapshot = json!({"attachment": {"type": "prompt_snapshot"}});
    let lines = [
        user("a", ""),
        entry("attachment", "x", "a", snapshot.clone()),
        assistant("b", "x"),
        entry("attachment", "y", "b", snapshot),
    ];
    assert_eq!(messages(&lines), ["a", "b"]);
}

#[test]
fn prompt_that_was_sent_during_a_turn_is_a_message() {
    let queued = |mode| json!({"attachment": {"type": "queued_command", "commandMode": mode, "prompt": "Hi"}});
    let lines = [
        user("a", ""),
        entry("attachment", "q", "a", queued("prompt")),
        entry("attachment", "t", "q", queued("task-notification")),
        assistant("b", "t"),
    ];
    assert_eq!(messages(&lines), ["a", "q", "b"]);
}

#[test]
fn entries_that_the_cli_does_not_show_are_left_out() {
    let text = json!({"content": "x"});
    let lines = [
        user("a", ""),
        entry(
            "user",
            "meta",
            "a",
            json!({"isMeta": true, "message": text}),
        ),
        entry(
            "system",
            "notice",
            "meta",
            json!({"subtype": "informational", "content": "x"}),
        ),
        assistant("b", "notice"),
        entry(
            "user",
            "side",
            "a",
            json!({"isSidechain": true, "message": text}),
        ),
        entry(
            "user",
            "team",
            "b",
            json!({"teamName": "t", "message": text}),
        ),
        entry("progress", "p", "b", json!({})),
    ];
    assert_eq!(messages(&lines), ["a", "b"]);
    let with_system = order(&lines, ConversationKind::Main, true);
    assert_eq!(with_system, ["a", "notice", "b"]);
}

#[test]
fn later_entry_with_the_same_id_replaces_the_earlier_one() {
    let lines = [user("a", ""), assistant("b", "a"), user("a", "")];
    assert_eq!(messages(&lines), ["a", "b"]);
}

#[test]
fn child_may_precede_its_parent() {
    let lines = [assistant("b", "a"), user("a", ""), user("c", "b")];
    assert_eq!(messages(&lines), ["a", "b", "c"]);
}

#[test]
fn missing_parent_begins_the_conversation() {
    let lines = [assistant("b", "lost"), user("c", "b")];
    assert_eq!(messages(&lines), ["b", "c"]);
}

#[test]
fn cycle_of_parents_ends() {
    let lines = [
        user("a", "c"),
        assistant("b", "a"),
        user("c", "b"),
        assistant("d", "c"),
    ];
    assert_eq!(messages(&lines), ["a", "b", "c", "d"]);
    let lines = [user("a", "b"), assistant("b", "a")];
    assert_eq!(messages(&lines), [""; 0]);
    let lines = [user("a", "a"), assistant("b", "a")];
    assert_eq!(messages(&lines), ["a", "b"]);
}

#[test]
fn broken_lines_and_unknown_types_are_skipped() {
    let lines = [
        user("a", ""),
        "{\"type\":\"user\",\"uu".to_owned(),
        entry("from-the-future", "f", "a", json!({})),
        assistant("b", "a"),
        String::new(),
    ];
    assert_eq!(messages(&lines), ["a", "b"]);
}

#[test]
fn transcript_with_only_a_sidechain_has_no_main_messages() {
    let side = json!({"isSidechain": true, "message": {"content": "x"}});
    let lines = [entry("user", "a", "", side)];
    assert_eq!(messages(&lines), [""; 0]);
}

#[test]
fn subagent_conversation_ends_at_the_last_message() {
    let side = |kind, uuid, parent| {
        let members =
            json!({"isSidechain": true, "isMeta": uuid == "b", "message": {"content": "x"}});
        entry(kind, uuid, parent, members)
    };
    let lines = [
        side("user", "a", ""),
        side("assistant", "b", "a"),
        side("user", "lost", "a"),
        side("assistant", "c", "b"),
        entry(
            "attachment",
            "d",
            "c",
            json!({"attachment": {"type": "date"}}),
        ),
    ];
    let subagent = order(&lines, ConversationKind::Subagent, false);
    assert_eq!(subagent, ["a", "b", "c"]);
}
