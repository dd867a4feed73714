use std::collections::{HashMap, HashSet};
use std::time::SystemTime;

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use super::entry::{Entry, EntryId};
use super::id::uuid_text;
use super::streamed::{Blocks, StreamedMessage};
use crate::mcp::{CallToolResult, Content};

/// Adds to a transcript what a host knew and the CLI had not recorded when both were killed.
///
/// [Push](Self::push) every entry of the transcript, then add the messages that the host received and the results of the
/// calls. Each method returns the entry to append, or `None` if the transcript has it already.
///
/// ```
/// use std::time::SystemTime;
/// use inhouse_proto::mcp::CallToolResult;
/// use inhouse_proto::session::{Entry, TranscriptRepair};
///
/// let mut repair = TranscriptRepair::new("7f6c2a4e-3c1f-4f0a-9d57-0a4b8f1c2d3e");
/// let prompt = r#"{"type":"user","uuid":"u1","parentUuid":null,"message":{"content":"Charge."}}"#;
/// repair.push(&Entry::read(prompt).unwrap());
///
/// let now = SystemTime::UNIX_EPOCH;
/// let call = r#"{"type":"assistant","uuid":"u2","message":{"content":[{"type":"tool_use","id":"toolu_1"}]}}"#;
/// let entry = repair.message(call, now).unwrap();
/// assert!(entry.contains(r#""parentUuid":"u1""#));
/// assert_eq!(repair.message(call, now), None);
///
/// assert!(repair.is_open("toolu_1"));
/// let entry = repair.result("toolu_1", &CallToolResult::text("charged"), 3, now).unwrap();
/// assert!(entry.contains(r#""sourceToolAssistantUUID":"u2""#));
/// assert!(!repair.is_open("toolu_1"));
/// ```
#[derive(Debug)]
pub struct TranscriptRepair {
    session: String,
    known: HashSet<EntryId, FixedState>,
    /// The last entry of the conversation, which the next message follows.
    leaf: Option<String>,
    /// The last assistant entry, and the id of its API message.
    last_response: Option<(String, String)>,
    calls: HashMap<String, Call, FixedState>,
    common: CommonMembers,
}

#[derive(Debug)]
struct Call {
    /// The id of the assistant entry with the call.
    entry: String,
    is_answered: bool,
}

/// Members that are equal in all entries of a session, taken from the last one.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct CommonMembers {
    #[serde(skip_serializing_if = "Option::is_none")]
    user_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entrypoint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    git_branch: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NewEntry<'a> {
    parent_uuid: Option<&'a str>,
    is_sidechain: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_meta: Option<bool>,
    #[serde(rename = "type")]
    tag: &'a str,
    message: &'a RawValue,
    uuid: &'a str,
    timestamp: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_use_result: Option<&'a RawValue>,
    #[serde(
        rename = "sourceToolAssistantUUID",
        skip_serializing_if = "Option::is_none"
    )]
    source_tool_assistant: Option<&'a str>,
    session_id: &'a str,
    #[serde(flatten)]
    common: &'a CommonMembers,
}

impl TranscriptRepair {
    /// Creates the repair of an empty transcript.
    #[must_use]
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            known: HashSet::default(),
            leaf: None,
            last_response: None,
            calls: HashMap::default(),
            common: CommonMembers::default(),
        }
    }

    /// Sets the working directory of entries that are added to an empty transcript.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<String>) -> Self {
        self.common.cwd = Some(cwd.into());
        self
    }

    /// Notes an entry that the transcript has.
    pub fn push(&mut self, entry: &Entry<'_>) {
        let Some(uuid) = entry.uuid.as_deref().filter(|_| entry.is_chained()) else {
            return;
        };
        if entry.is_sidechain {
            return;
        }
        if let Ok(common) = serde_json::from_str(entry.line) {
            self.common = common;
        }
        self.note(&entry.tag, uuid, entry.message.unwrap_or_default());
    }

    /// Adds a message that the CLI streamed, or a prompt that it was sent.
    ///
    /// `None` if the transcript has the message, or if it belongs to a subagent. `now` is the time of a message without one.
    pub fn message(&mut self, line: &str, now: SystemTime) -> Option<String> {
        let streamed = StreamedMessage::read(line)?;
        let id = EntryId::of(&streamed.uuid);
        if streamed.parent_tool_use_id.is_some() || self.known.contains(&id) {
            return None;
        }
        let blocks = Blocks::of(streamed.message);
        let source = blocks.results.first().and_then(|id| self.calls.get(id));
        let source = source.map(|call| call.entry.as_str());
        let timestamp = streamed.timestamp.clone();
        let entry = NewEntry {
            parent_uuid: source.or_else(|| self.parent(blocks.message_id.as_deref())),
            is_sidechain: false,
            is_meta: None,
            tag: &streamed.tag,
            message: serde_json::from_str(streamed.message).ok()?,
            uuid: &streamed.uuid,
            timestamp: &timestamp.unwrap_or_else(|| time_text(now).into()),
            tool_use_result: streamed
                .tool_use_result
                .and_then(|result| serde_json::from_str(result).ok()),
            source_tool_assistant: source,
            session_id: &self.session,
            common: &self.common,
        };
        let entry = serde_json::to_string(&entry).ok()?;
        self.note(&streamed.tag, &streamed.uuid, streamed.message);
        Some(entry)
    }

    /// Returns whether a call is in the transcript without a result.
    #[must_use]
    pub fn is_open(&self, call: &str) -> bool {
        self.calls.get(call).is_some_and(|call| !call.is_answered)
    }

    /// Returns whether a call is in the transcript.
    #[must_use]
    pub fn has_call(&self, call: &str) -> bool {
        self.calls.contains_key(call)
    }

    /// Adds the result of an [open](Self::is_open) call; `None` for any other call. `id` has the bits of a new UUID.
    pub fn result(
        &mut self,
        call: &str,
        result: &CallToolResult,
        id: u128,
        now: SystemTime,
    ) -> Option<String> {
        let open = self.calls.get(call).filter(|call| !call.is_answered)?;
        let source = open.entry.clone();
        let content = content_of(result);
        let mut block = json!({"type": "tool_result", "tool_use_id": call, "content": content});
        if result.is_error {
            block["is_error"] = true.into();
        }
        let message = to_raw_value(&json!({"role": "user", "content": [block]})).ok()?;
        let uuid = uuid_text(id);
        let entry = NewEntry {
            parent_uuid: Some(&source),
            is_sidechain: false,
            is_meta: None,
            tag: "user",
            message: &message,
            uuid: &uuid,
            timestamp: &time_text(now),
            tool_use_result: Some(&to_raw_value(&content).ok()?),
            source_tool_assistant: Some(&source),
            session_id: &self.session,
            common: &self.common,
        };
        let entry = serde_json::to_string(&entry).ok()?;
        self.note("user", &uuid, message.get());
        Some(entry)
    }

    /// Adds a text for the model, which the user does not see. `id` has the bits of a new UUID.
    pub fn notice(&mut self, text: &str, id: u128, now: SystemTime) -> Option<String> {
        let message = to_raw_value(&json!({"role": "user", "content": text})).ok()?;
        let uuid = uuid_text(id);
        let entry = NewEntry {
            parent_uuid: self.leaf.as_deref(),
            is_sidechain: false,
            is_meta: Some(true),
            tag: "user",
            message: &message,
            uuid: &uuid,
            timestamp: &time_text(now),
            tool_use_result: None,
            source_tool_assistant: None,
            session_id: &self.session,
            common: &self.common,
        };
        let entry = serde_json::to_string(&entry).ok()?;
        self.note("user", &uuid, message.get());
        Some(entry)
    }

    /// Returns the entry that a new message follows: that of the same API message, or the last one.
    fn parent(&self, message_id: Option<&str>) -> Option<&str> {
        match &self.last_response {
            Some((entry, last)) if Some(last.as_str()) == message_id => Some(entry),
            _ => self.leaf.as_deref(),
        }
    }

    fn note(&mut self, tag: &str, uuid: &str, message: &str) {
        self.known.insert(EntryId::of(uuid));
        self.leaf = Some(uuid.to_owned());
        if !matches!(tag, "assistant" | "user") {
            return;
        }
        let blocks = Blocks::of(message);
        for call in blocks.calls {
            let entry = uuid.to_owned();
            let call = self.calls.entry(call);
            call.or_insert(Call {
                entry,
                is_answered: false,
            });
        }
        for call in blocks.results {
            if let Some(call) = self.calls.get_mut(&call) {
                call.is_answered = true;
            }
        }
        if tag == "assistant" {
            self.last_response = blocks.message_id.map(|id| (uuid.to_owned(), id));
        }
    }
}

/// Returns a result as the content of a `tool_result` block. Long results are not moved to a file, as the CLI does.
fn content_of(result: &CallToolResult) -> serde_json::Value {
    let text = |text: String| json!({"type": "text", "text": text});
    if let Some(data) = &result.structured_content
        && !result.is_error
    {
        return json!([text(data.to_string())]);
    }
    let blocks = result.content.iter().map(|content| match content {
        Content::Text(content) => text(content.text.clone()),
        Content::Image(image) => json!({
            "type": "image",
            "source": {"type": "base64", "media_type": image.mime_type, "data": image.data},
        }),
        Content::Resource(embedded) => match &embedded.resource.text {
            Some(contents) => text(format!("[Resource {}]\n{contents}", embedded.resource.uri)),
            None => text(format!("[Resource {}, binary]", embedded.resource.uri)),
        },
        Content::ResourceLink(link) => text(format!("[Resource {}: {}]", link.name, link.uri)),
        Content::Audio(audio) => text(format!("[Audio, {}]", audio.mime_type)),
        Content::Unknown(value) => text(value.to_string()),
    });
    blocks.collect()
}

fn time_text(time: SystemTime) -> String {
    humantime::format_rfc3339_millis(time).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    const NOW: SystemTime = SystemTime::UNIX_EPOCH;

    fn streamed(uuid: &str, message_id: &str, call: &str) -> String {
        json!({
            "type": "assistant",
            "uuid": uuid,
            "parent_tool_use_id": null,
            "timestamp": "2026-01-02T03:04:05.678Z",
            "message": {"id": message_id, "content": [{"type": "tool_use", "id": call, "input": {}}]},
        })
        .to_string()
    }

    fn parsed(entry: Option<String>) -> Value {
        serde_json::from_str(&entry.expect("an entry is added")).expect("JSON")
    }

    #[test]
    fn added_entries_have_the_members_of_the_last_entry() {
        let mut repair = TranscriptRepair::new("s").cwd("/elsewhere");
        let prompt = r#"{"type":"user","uuid":"u1","parentUuid":null,"cwd":"/app","version":"2.1.325",
            "gitBranch":"HEAD","userType":"external","entrypoint":"sdk-cli","message":{"content":"Hi"}}"#;
        repair.push(&Entry::read(prompt).unwrap());
        let entry = parsed(repair.message(&streamed("a1", "m", "t1"), NOW));
        assert_eq!(entry["parentUuid"], "u1");
        assert_eq!(entry["cwd"], "/app");
        assert_eq!(entry["version"], "2.1.325");
        assert_eq!(entry["gitBranch"], "HEAD");
        assert_eq!(entry["sessionId"], "s");
        assert_eq!(entry["timestamp"], "2026-01-02T03:04:05.678Z");
        let entry = parsed(repair.result("t1", &CallToolResult::error("no"), 7, NOW));
        assert_eq!(entry["message"]["content"][0]["is_error"], true);
        assert_eq!(entry["timestamp"], "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn parallel_calls_are_chained_and_their_results_follow_their_calls() {
        let mut repair = TranscriptRepair::new("s");
        repair.push(&Entry::read(r#"{"type":"user","uuid":"u1"}"#).unwrap());
        repair.message(&streamed("a1", "m", "t1"), NOW).unwrap();
        let result = repair.result("t1", &CallToolResult::text("one"), 1, NOW);
        assert_eq!(parsed(result)["parentUuid"], "a1");
        let second = parsed(repair.message(&streamed("a2", "m", "t2"), NOW));
        assert_eq!(second["parentUuid"], "a1");
        let result = parsed(repair.result("t2", &CallToolResult::text("two"), 2, NOW));
        assert_eq!(result["parentUuid"], "a2");
        let third = parsed(repair.message(&streamed("a3", "m2", "t3"), NOW));
        assert_eq!(third["parentUuid"], result["uuid"]);
    }

    #[test]
    fn recorded_calls_and_results_are_not_added_again() {
        let mut repair = TranscriptRepair::new("s");
        let call = r#"{"type":"assistant","uuid":"a1","message":{"content":[{"type":"tool_use","id":"t1"}]}}"#;
        repair.push(&Entry::read(call).unwrap());
        assert_eq!(repair.message(&streamed("a1", "m", "t1"), NOW), None);
        assert!(repair.is_open("t1"));
        let result = r#"{"type":"user","uuid":"r1","message":{"content":[{"type":"tool_result","tool_use_id":"t1"}]}}"#;
        repair.push(&Entry::read(result).unwrap());
        assert!(!repair.is_open("t1"));
        let again = repair.result("t1", &CallToolResult::text("again"), 1, NOW);
        assert_eq!(again, None);
        assert_eq!(repair.result("t9", &CallToolResult::text(""), 2, NOW), None);
    }

    #[test]
    fn notice_follows_the_last_entry_and_is_not_shown() {
        let mut repair = TranscriptRepair::new("s");
        repair.push(&Entry::read(r#"{"type":"user","uuid":"u1"}"#).unwrap());
        let entry = parsed(repair.notice("Restarted.", 1, NOW));
        assert_eq!(entry["parentUuid"], "u1");
        assert_eq!(entry["isMeta"], true);
        assert_eq!(entry["message"]["content"], "Restarted.");
    }

    #[test]
    fn messages_of_subagents_are_not_added() {
        let mut repair = TranscriptRepair::new("s");
        let line = streamed("a1", "m", "t1").replace(
            r#""parent_tool_use_id":null"#,
            r#""parent_tool_use_id":"toolu_9""#,
        );
        assert_eq!(repair.message(&line, NOW), None);
        assert!(!repair.is_open("t1"));
    }

    #[test]
    fn numbers_of_a_message_keep_their_digits() {
        let mut repair = TranscriptRepair::new("s");
        let line =
            r#"{"type":"user","uuid":"u1","message":{"content":"x","n":12345678901234567890.10}}"#;
        let entry = repair.message(line, NOW).unwrap();
        assert!(entry.contains("12345678901234567890.10"), "{entry}");
    }

    #[test]
    fn content_is_what_the_model_reads() {
        let image = Content::image("image/png", "QUJD");
        let result = CallToolResult::new([Content::text("a"), image]);
        let content = content_of(&result);
        assert_eq!(content[0], json!({"type": "text", "text": "a"}));
        assert_eq!(content[1]["source"]["media_type"], "image/png");
        let data = CallToolResult::structured(json!({"a": 1}));
        assert_eq!(content_of(&data)[0]["text"], r#"{"a":1}"#);
    }
}
