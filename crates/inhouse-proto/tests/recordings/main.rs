//! Decodes every recorded line of a real CLI, and checks the list of members that no typed field reads.
//!
//! An optional member whose shape does not fit its type falls back to `None`, and is found as a member that is not read.

mod control;
#[path = "../support/mod.rs"]
mod support;

use std::collections::{BTreeSet, HashMap};
use std::fs;

use inhouse_proto::message::{Message, TranscriptMirror};
use serde_json::Value;

use crate::support::{is_tag, recordings, shape, unread};

/// Types of lines that the engine handles and does not report as messages.
const CONTROL: [&str; 4] = [
    "control_request",
    "control_response",
    "control_cancel_request",
    "keep_alive",
];

/// The members of recorded lines that no typed field reads, each as `<tag> <path>`.
const UNREAD: &str = include_str!("unread.txt");

#[test]
fn every_recorded_line_is_decoded() {
    let mut lines = 0;
    for_each_line(|location, line| {
        lines += 1;
        if line.is_control() {
            let typed = line.typed(&line.value);
            assert!(typed.is_ok(), "{location}: {typed:?}");
        } else if line.kind() == "transcript_mirror" {
            serde_json::from_str::<TranscriptMirror>(line.text).expect("a transcript mirror");
        } else {
            let message = Message::decode(line.text.as_bytes()).expect("an object");
            assert!(
                !matches!(message, Message::Unknown(_)),
                "{location}: {message:?}"
            );
            assert_eq!(message.raw(), line.text, "{location}");
        }
    });
    assert!(lines > 100, "{lines}");
}

#[test]
fn unread_members_are_listed() {
    let mut checked = BTreeSet::new();
    let mut found = BTreeSet::new();
    for_each_line(|_, line| {
        let tag = line.tag();
        if line.kind() == "transcript_mirror"
            || !checked.insert(format!("{tag} {}", shape(&line.value)))
        {
            return;
        }
        let unread = unread(&line.value, &|value| format!("{:?}", line.typed(value)))
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

/// A recorded line.
struct Line<'a> {
    text: &'a str,
    value: Value,
    /// The subtype of the host's request that the line replies to.
    replies_to: Option<&'a str>,
}

impl Line<'_> {
    fn kind(&self) -> &str {
        self.value["type"].as_str().unwrap_or_default()
    }

    /// Returns whether the engine handles the line and does not report it as a message.
    fn is_control(&self) -> bool {
        CONTROL.contains(&self.kind())
    }

    /// Returns the type of the line, and the subtype if there are several.
    fn tag(&self) -> String {
        let subtype = self.value["request"]["subtype"].as_str();
        match subtype.or(self.replies_to) {
            Some(subtype) => format!("{}/{subtype}", self.kind()),
            None if self.is_control() => self.kind().to_owned(),
            None => Message::decode(self.text.as_bytes())
                .expect("an object")
                .tag(),
        }
    }

    /// Decodes a variant of this line, and renders what typed fields hold of it.
    fn typed(&self, variant: &Value) -> Result<String, String> {
        if self.is_control() {
            return control::typed(variant, self.replies_to);
        }
        let message = Message::decode(variant.to_string().as_bytes()).expect("an object");
        Ok(format!("{message:?}"))
    }
}

/// Calls `check` with the location and the value of each line.
fn for_each_line(mut check: impl FnMut(&str, Line<'_>)) {
    for file in recordings(".out.jsonl") {
        let requests: HashMap<String, String> = control::subtypes_of_requests(&file);
        let text = fs::read_to_string(&file).expect("a recording is UTF-8");
        for (number, text) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.is_empty())
        {
            let value: Value = serde_json::from_str(text).expect("a recorded line is JSON");
            let replies_to = value["response"]["request_id"].as_str();
            let line = Line {
                text,
                replies_to: replies_to.map(|id| &*requests[id]),
                value: value.clone(),
            };
            check(&format!("{}:{}", file.display(), number + 1), line);
        }
    }
}
