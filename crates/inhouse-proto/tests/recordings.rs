//! Every line that a real CLI was recorded to write is typed, and nothing of it is lost.

#[expect(dead_code, reason = "this test reports where a line is")]
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use inhouse_proto::message::{Message, TranscriptMirror};
use serde_json::Value;

use crate::support::deep_equal;

/// What the engine keeps to itself.
const ROUTED: [&str; 4] = [
    "control_request",
    "control_response",
    "control_cancel_request",
    "keep_alive",
];

#[test]
fn every_recorded_line_is_typed_and_written_back() {
    let mut untyped = BTreeMap::new();
    let mut messages = 0;
    for file in recordings() {
        let text = fs::read_to_string(&file).expect("a recording is UTF-8");
        for (number, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.is_empty())
        {
            let place = format!("{}:{}", file.display(), number + 1);
            let value: Value = serde_json::from_str(line).expect("a recorded line is JSON");
            let kind = value["type"].as_str().unwrap_or_default();
            if ROUTED.contains(&kind) {
                continue;
            }
            let encoded = if kind == "transcript_mirror" {
                let mirror: TranscriptMirror = serde_json::from_str(line).expect("it is one");
                serde_json::to_value(mirror)
            } else {
                let message = Message::decode(line.as_bytes()).expect("it is an object");
                assert!(
                    !matches!(message, Message::Unknown(_)),
                    "{place}: {message:?}"
                );
                note_untyped(&message, &mut untyped);
                serde_json::to_value(message)
            };
            assert!(
                deep_equal(&encoded.expect("it is JSON"), &value),
                "{place}: {line}"
            );
            messages += 1;
        }
    }
    report(messages, &untyped);
}

/// All `fixtures/<version>/*.out.jsonl`.
///
/// No directory is no recordings; a directory without any is a mistake.
fn recordings() -> Vec<PathBuf> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    if !fixtures.exists() {
        return Vec::new();
    }
    let entries = |directory: PathBuf| {
        fs::read_dir(directory)
            .expect("it can be listed")
            .map(|entry| entry.expect("it can be read").path())
    };
    let mut files: Vec<_> = entries(fixtures)
        .filter(|path| path.is_dir())
        .flat_map(entries)
        .filter(|path| path.to_string_lossy().ends_with(".out.jsonl"))
        .collect();
    assert!(
        !files.is_empty(),
        "there are fixtures, but none is a recording"
    );
    files.sort();
    files
}

/// Counts what this version has no field and no value for, by type and member.
///
/// Read from the debug form, which shows every `extra` and every `Unknown` wherever it is.
fn note_untyped(message: &Message, untyped: &mut BTreeMap<String, usize>) {
    let shown = format!("{message:#?}");
    // The structs that are open at a line, each with its indentation.
    let mut open: Vec<(usize, &str)> = Vec::new();
    for line in shown.lines() {
        let indentation = line.len() - line.trim_start().len();
        open.retain(|(outer, _)| *outer < indentation);
        let owner = open.last().map_or("", |(_, name)| name);
        let line = line.trim();
        let (member, value) = line.split_once(": ").unwrap_or(("", line));
        if owner == "extra" && open.len() > 1 {
            // Only the direct members of `extra` are names; deeper lines belong to their values.
            if indentation == open[open.len() - 1].0 + 4 && member.starts_with('"') {
                let name = member.trim_matches('"');
                let of = open[open.len() - 2].1;
                *untyped.entry(format!("{of}.{name}")).or_default() += 1;
            }
        } else if member == "extra" && value == "{" {
            open.push((indentation, "extra"));
        } else if value == "Unknown(" {
            *untyped
                .entry(format!("{owner}.{member} (value)"))
                .or_default() += 1;
        } else if let Some(name) = value.strip_suffix(" {") {
            open.push((indentation, name));
        }
    }
}

#[expect(clippy::print_stdout, reason = "shown by `cargo test -- --nocapture`")]
fn report(messages: usize, untyped: &BTreeMap<String, usize>) {
    println!("{messages} recorded messages; untyped in them:");
    for (member, count) in untyped {
        println!("  {member}: {count}");
    }
}
