//! Conversations that were compacted.

use inhouse_proto::session::ConversationKind;
use serde_json::{Value, json};

use crate::support::{assistant, entry, messages, order, user};

fn boundary(uuid: &str, metadata: Value) -> String {
    let members = json!({"subtype": "compact_boundary", "compactMetadata": metadata});
    entry("system", uuid, "", members)
}

fn summary(uuid: &str, parent: &str) -> String {
    let members = json!({"isCompactSummary": true, "message": {"content": "They spoke."}});
    entry("user", uuid, parent, members)
}

fn compacted(metadata: Value) -> Vec<String> {
    vec![
        user("a", ""),
        assistant("b", "a"),
        user("c", "b"),
        assistant("d", "c"),
        boundary("boundary", metadata),
        summary("summary", "boundary"),
        entry("attachment", "after", "summary", json!({})),
        assistant("e", "after"),
    ]
}

#[test]
fn conversation_begins_with_the_summary() {
    let lines = compacted(json!({"trigger": "manual"}));
    assert_eq!(messages(&lines), ["summary", "e"]);
    let with_system = order(&lines, ConversationKind::Main, true);
    assert_eq!(with_system, ["boundary", "summary", "e"]);
}

#[test]
fn preserved_messages_follow_the_summary() {
    let preserved = json!({"anchorUuid": "summary", "uuids": ["c", "d"], "allUuids": ["c", "d"]});
    let lines = compacted(json!({"preservedMessages": preserved}));
    assert_eq!(messages(&lines), ["summary", "c", "d", "e"]);
}

#[test]
fn preserved_segment_follows_the_summary() {
    let segment = json!({"headUuid": "b", "anchorUuid": "summary", "tailUuid": "d"});
    let lines = compacted(json!({"preservedSegment": segment}));
    assert_eq!(messages(&lines), ["summary", "b", "c", "d", "e"]);
}

#[test]
fn preserved_messages_precede_the_preserved_segment() {
    let preserved = json!({"anchorUuid": "summary", "uuids": ["d"]});
    let segment = json!({"headUuid": "a", "anchorUuid": "summary", "tailUuid": "d"});
    let lines = compacted(json!({"preservedMessages": preserved, "preservedSegment": segment}));
    assert_eq!(messages(&lines), ["summary", "d", "e"]);
}

#[test]
fn preserved_messages_that_are_missing_change_nothing() {
    for uuids in [json!([]), json!(["c", "missing"])] {
        let preserved = json!({"anchorUuid": "summary", "uuids": uuids});
        let lines = compacted(json!({"preservedMessages": preserved}));
        assert_eq!(messages(&lines), ["summary", "e"]);
    }
}

#[test]
fn misshapen_metadata_changes_nothing() {
    for metadata in [
        json!(7),
        json!({"preservedMessages": {"uuids": 7}}),
        json!(null),
    ] {
        assert_eq!(messages(&compacted(metadata)), ["summary", "e"]);
    }
}

#[test]
fn last_of_two_compactions_is_in_effect() {
    let preserved = json!({"anchorUuid": "summary", "uuids": ["d"]});
    let mut lines = compacted(json!({"preservedMessages": preserved}));
    let preserved = json!({"anchorUuid": "summary 2", "uuids": ["d", "e"]});
    lines.push(boundary(
        "boundary 2",
        json!({"preservedMessages": preserved}),
    ));
    lines.push(summary("summary 2", "boundary 2"));
    lines.push(user("f", "summary 2"));
    assert_eq!(messages(&lines), ["summary 2", "d", "e", "f"]);
}
