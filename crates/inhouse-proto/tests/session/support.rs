//! Transcripts in a few lines.

use inhouse_proto::session::{Conversation, ConversationKind, Entry, LineSpan};
use serde_json::{Map, Value, json};

/// Returns an entry of the conversation with further members.
pub(crate) fn entry(kind: &str, uuid: &str, parent: &str, members: Value) -> String {
    let mut entry = Map::new();
    let parent = match parent {
        "" => Value::Null,
        parent => parent.into(),
    };
    entry.insert("parentUuid".into(), parent);
    entry.insert("type".into(), kind.into());
    entry.insert("uuid".into(), uuid.into());
    entry.insert("sessionId".into(), SOURCE.into());
    if let Value::Object(members) = members {
        entry.extend(members);
    }
    Value::Object(entry).to_string()
}

pub(crate) const SOURCE: &str = "00000000-0000-0000-0000-000000000007";

pub(crate) fn user(uuid: &str, parent: &str) -> String {
    entry("user", uuid, parent, json!({"message": {"content": uuid}}))
}

pub(crate) fn assistant(uuid: &str, parent: &str) -> String {
    entry(
        "assistant",
        uuid,
        parent,
        json!({"message": {"content": []}}),
    )
}

/// Returns a block of the response `message` that calls a tool.
pub(crate) fn call(uuid: &str, parent: &str, message: &str, tool_use: &str) -> String {
    let content = json!([{"type": "tool_use", "id": tool_use, "name": "Bash", "input": {}}]);
    let message = json!({"message": {"id": message, "content": content}});
    entry("assistant", uuid, parent, message)
}

pub(crate) fn result(uuid: &str, parent: &str, tool_use: &str) -> String {
    let content = json!([{"type": "tool_result", "tool_use_id": tool_use, "content": "ok"}]);
    entry(
        "user",
        uuid,
        parent,
        json!({"message": {"content": content}}),
    )
}

/// Returns the ids of the messages of the main conversation.
pub(crate) fn messages(lines: &[String]) -> Vec<String> {
    order(lines, ConversationKind::Main, false)
}

pub(crate) fn order(lines: &[String], kind: ConversationKind, include_system: bool) -> Vec<String> {
    let mut conversation = Conversation::new();
    for (number, line) in lines.iter().enumerate() {
        if let Some(entry) = Entry::read(line) {
            conversation.push(LineSpan::new(number as u64, 0), &entry);
        }
    }
    let uuid = |line: &String| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["uuid"].as_str().unwrap().to_owned()
    };
    let messages = conversation.messages(kind, include_system).into_iter();
    messages
        .map(|span| uuid(&lines[span.offset as usize]))
        .collect()
}
