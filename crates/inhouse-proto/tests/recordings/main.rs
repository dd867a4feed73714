//! Decodes every recorded line of a real CLI, and checks the list of members that no typed field reads.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use inhouse_proto::message::{Message, TranscriptMirror};
use serde_json::Value;

use crate::support::{is_tag, unread};

/// Types of lines that the engine handles and does not report as messages.
const ROUTED: [&str; 4] = [
    "control_request",
    "control_response",
    "control_cancel_request",
    "keep_alive",
];

/// The members of recorded lines that no typed field reads, each as `<tag> <path>`.
const UNREAD: &str = include_str!("recordings/unread.txt");

#[test]
fn every_recorded_line_is_decoded() {
    let mut messages = 0;
    for_each_line(|location, kind, line| {
        if kind == "transcript_mirror" {
            serde_json::from_str::<TranscriptMirror>(line).expect("a transcript mirror");
        } else {
            let message = Message::decode(line.as_bytes()).expect("an object");
            assert!(
                !matches!(message, Message::Unknown(_)),
                "{location}: {message:?}"
            );
            assert_eq!(message.raw(), line, "{location}");
        }
        messages += 1;
    });
    assert!(messages > 100, "{messages}");
}

#[test]
fn unread_members_are_listed() {
    let shown = |line: &Value| {
        let message = Message::decode(line.to_string().as_bytes()).expect("an object");
        format!("{message:?}")
    };
    let mut checked = BTreeSet::new();
    let mut found = BTreeSet::new();
    for_each_line(|_, kind, line| {
        let value: Value = serde_json::from_str(line).expect("a recorded line is JSON");
        if kind == "transcript_mirror" || !checked.insert(shape(&value)) {
            return;
        }
        let tag = Message::decode(line.as_bytes()).expect("an object").tag();
        let unread = unread(&value, &shown)
            .into_iter()
            .filter(|path| !is_tag(path));
        found.extend(unread.map(|path| format!("{tag} {path}")));
    });
    let listed: BTreeSet<String> = UNREAD.lines().map(str::to_owned).collect();
    let unlisted: Vec<_> = found.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&found).collect();
    assert!(
        unlisted.is_empty() && gone.is_empty(),
        "type these members, or list them in tests/recordings/unread.txt: {unlisted:#?}\n\
         no longer in a recording, or typed in the meantime: {gone:#?}"
    );
}

/// Calls `check` with the location, the `type` and the text of each line that is a message.
fn for_each_line(mut check: impl FnMut(&str, &str, &str)) {
    for file in recordings() {
        let text = fs::read_to_string(&file).expect("a recording is UTF-8");
        for (number, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.is_empty())
        {
            let value: Value = serde_json::from_str(line).expect("a recorded line is JSON");
            let kind = value["type"].as_str().unwrap_or_default();
            if !ROUTED.contains(&kind) {
                check(&format!("{}:{}", file.display(), number + 1), kind, line);
            }
        }
    }
}

/// Renders which members a line has and of which kinds, so that lines of one shape are checked once.
fn shape(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| match (name.as_str(), value) {
                ("type" | "subtype" | "kind", Value::String(tag)) => format!("{name}={tag}"),
                _ => format!("{name}:{}", shape(value)),
            };
            format!(
                "{{{}}}",
                members.iter().map(member).collect::<Vec<_>>().join(",")
            )
        }
        Value::Array(items) => {
            let items: BTreeSet<_> = items.iter().map(shape).collect();
            format!("[{}]", items.into_iter().collect::<Vec<_>>().join(","))
        }
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "bool".to_owned(),
        Value::Number(_) => "number".to_owned(),
        Value::String(_) => "string".to_owned(),
    }
}

/// Returns the paths of all recordings `fixtures/<version>/*.out.jsonl`.
///
/// Returns none if there is no directory. Panics if there is a directory without recordings.
fn recordings() -> Vec<PathBuf> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    if !fixtures.exists() {
        return Vec::new();
    }
    let entries = |directory: PathBuf| {
        fs::read_dir(directory)
            .expect("the directory can be listed")
            .map(|entry| entry.expect("the entry can be read").path())
    };
    let mut files: Vec<_> = entries(fixtures)
        .filter(|path| path.is_dir())
        .flat_map(entries)
        .filter(|path| path.to_string_lossy().ends_with(".out.jsonl"))
        .collect();
    assert!(!files.is_empty(), "the fixtures contain no recording");
    files.sort();
    files
}
