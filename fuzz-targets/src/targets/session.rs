use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use inhouse_proto::mcp::CallToolResult;
use inhouse_proto::session::{
    Conversation, ConversationKind, Entry, ForkScan, LineSpan, SessionId, SessionMessage, Summary,
    TranscriptRepair, metadata_content, metadata_entry, project_key, sanitize_tag, tag_entry,
    title_entry,
};
use serde_json::Value;

use super::{assert_entry, is_json};

const SOURCE: u128 = 7;
const TARGET: u128 = 8;

/// Maximum length of a first prompt, in UTF-16 units, with the ellipsis.
const MAX_PROMPT: usize = 201;

/// Reads bytes as a transcript: entries, summary, conversation, fork and repair.
///
/// Everything that is written from a line of valid JSON is a JSON object without a line feed, and a conversation has
/// each message once.
pub fn session(bytes: &[u8]) {
    summary(bytes);
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let lines: Vec<&str> = text.split('\n').collect();
    for line in &lines {
        entry(line);
        names(line);
        metadata(line);
    }
    conversation(&lines);
    fork(&lines);
    repair(&lines);
}

fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000)
}

fn summary(bytes: &[u8]) {
    let whole = Summary::read(bytes, b"");
    let prompt = whole.first_prompt().unwrap_or_default();
    assert!(
        prompt.encode_utf16().count() <= MAX_PROMPT,
        "a long prompt: {prompt}"
    );
    let _ = (whole.text(), whole.is_programmatic());
    let (head, tail) = bytes.split_at(bytes.len() / 2);
    let _ = Summary::read(head, tail);
    let _ = Summary::has_prompt_after(head, tail, now());
}

fn entry(line: &str) {
    if let Some(entry) = Entry::read(line) {
        assert_eq!(entry.line, line);
        let _ = (entry.created_at(), entry.is_chained());
    }
    if let Some(message) = SessionMessage::read(line.to_owned()) {
        assert_eq!(message.raw(), line);
        let _ = (message.text(), message.message());
    }
}

/// Any text may be a title, a tag or a path.
fn names(line: &str) {
    let session = SessionId::from_u128(SOURCE);
    let title = title_entry(&session, line);
    assert_entry(&title);
    if !line.trim().is_empty() {
        let summary = Summary::read(format!("{title}\n").as_bytes(), b"");
        assert_eq!(summary.custom_title.as_deref(), Some(line));
    }
    if let Some(tag) = sanitize_tag(line) {
        assert_eq!(sanitize_tag(&tag).as_deref(), Some(&*tag));
        assert_entry(&tag_entry(&session, &tag));
    }
    let key = project_key(line);
    assert!(
        key.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'),
        "{key}"
    );
}

fn metadata(line: &str) {
    let Some(entry) = metadata_entry(line) else {
        return;
    };
    let Ok(Value::Object(mut before)) = serde_json::from_str(line) else {
        return;
    };
    assert_entry(&entry);
    let content = metadata_content(&entry).expect("an entry of metadata has a content");
    let after: Value = serde_json::from_str(&content).expect("the content is JSON");
    before.remove("type");
    assert_eq!(after, Value::Object(before));
}

fn conversation(lines: &[&str]) {
    for kind in [ConversationKind::Main, ConversationKind::Subagent] {
        for include_system in [false, true] {
            let mut conversation = Conversation::new();
            for (number, line) in lines.iter().enumerate() {
                if let Some(entry) = Entry::read(line) {
                    conversation.push(LineSpan::new(number as u64, line.len() as u32), &entry);
                }
            }
            let mut seen = HashSet::new();
            for span in conversation.messages(kind, include_system) {
                let line = lines[usize::try_from(span.offset).expect("a number of a line")];
                assert_eq!(span.len as usize, line.len());
                assert!(seen.insert(span.offset), "line {} twice", span.offset);
            }
        }
    }
}

fn fork(lines: &[&str]) {
    let last = lines.iter().rev().find_map(|line| Entry::read(line)?.uuid);
    for up_to in [None, last.as_deref()] {
        let [source, target] = [SOURCE, TARGET].map(SessionId::from_u128);
        let mut ids = 1_000..;
        let mut scan = ForkScan::new(source, target, up_to);
        for entry in lines.iter().filter_map(|line| Entry::read(line)) {
            scan.push(&entry, || ids.next().expect("enough numbers"));
        }
        let Ok(mut fork) = scan.finish() else {
            continue;
        };
        for line in lines {
            if let Some(copy) = fork.rewrite(line, now())
                && is_json(line)
            {
                assert_entry(&copy);
                assert!(Entry::read(&copy).is_some(), "not an entry: {copy}");
            }
        }
        assert_entry(&fork.title("A title"));
    }
}

/// The first half of the lines is the transcript, and all of them were streamed.
fn repair(lines: &[&str]) {
    let mut repair = TranscriptRepair::new("session").cwd("/app");
    for entry in lines[..lines.len() / 2]
        .iter()
        .filter_map(|line| Entry::read(line))
    {
        repair.push(&entry);
    }
    for line in lines {
        if let Some(entry) = repair.message(line, now()) {
            assert_entry(&entry);
            assert!(Entry::read(&entry).is_some(), "not an entry: {entry}");
            assert_eq!(repair.message(line, now()), None, "added twice: {line}");
        }
    }
    for call in lines
        .iter()
        .flat_map(|line| line.split('"'))
        .filter(|text| text.starts_with("toolu"))
    {
        let is_open = repair.is_open(call);
        let entry = repair.result(call, &CallToolResult::text("done"), 9, now());
        assert_eq!(entry.is_some(), is_open, "{call}");
        if let Some(entry) = entry {
            assert_entry(&entry);
            assert!(!repair.is_open(call), "{call}");
        }
    }
}
