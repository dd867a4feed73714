use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

/// A streamed text: a content block of a message, and the member of its deltas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BlockId {
    parent: Option<String>,
    index: u64,
    member: String,
}

/// The members with the texts of known deltas (CLI 2.1.325).
const TEXTS: [&str; 5] = ["text", "thinking", "partial_json", "content", "signature"];

/// The streamed texts that a line ends.
pub(super) struct Ended {
    /// Whether it ends those of all messages.
    all: bool,
    parent: Option<String>,
    /// The content block; `None` for all blocks of the message.
    index: Option<u64>,
}

/// Returns whether a line of the CLI is a JSON object.
///
/// Requests are only checked for their start and their end. They are most lines of a session with many tool calls, and
/// whatever else is wrong with one is an error that the CLI gets.
#[must_use]
pub fn is_json_line(line: &str) -> bool {
    let line = line.trim();
    (is_request(line) && line.ends_with('}'))
        || (line.starts_with('{') && serde_json::from_str::<IgnoredAny>(line).is_ok())
}

/// Returns whether a line begins as a request of the CLI, which has no part of a streamed text.
pub(super) fn is_request(line: &str) -> bool {
    line.starts_with("{\"type\":\"control_request\"")
}

/// Returns the block of a delta, and where its text is in the line.
pub(super) fn delta_in(json: &str) -> Option<(BlockId, Range<usize>)> {
    let line: Line<'_> = serde_json::from_str(json).ok()?;
    let event = line.event?;
    let (member, text) = text_of(event.delta?)?;
    let start = text.as_ptr() as usize - json.as_ptr() as usize;
    let id = BlockId {
        parent: line.parent_tool_use_id,
        index: event.index.unwrap_or_default(),
        member,
    };
    Some((id, start..start + text.len()))
}

/// Returns the member of a delta with a part of a longer text: a string that is not its type.
///
/// A delta of a newer CLI may have any name for it.
fn text_of(delta: BTreeMap<String, &RawValue>) -> Option<(String, &str)> {
    let members = delta.into_iter().map(|(name, value)| (name, value.get()));
    let texts = members.filter(|(name, value)| name != "type" && value.starts_with('"'));
    // Of several, one of `TEXTS`, else the first by name.
    texts.min_by_key(|(name, _)| !TEXTS.contains(&name.as_str()))
}

/// Returns which streamed texts a line ends; `None` if it ends none.
pub(super) fn ended_by(json: &str) -> Option<Ended> {
    let line: Line<'_> = serde_json::from_str(json).ok()?;
    let event = line.event.as_ref();
    let index = match (line.kind, event.map(|event| event.kind)) {
        (_, Some("content_block_stop")) => event.and_then(|event| event.index),
        (_, Some("message_start" | "message_stop")) | ("assistant" | "result", _) => None,
        _ => return None,
    };
    Some(Ended {
        all: line.kind == "result",
        parent: line.parent_tool_use_id,
        index,
    })
}

impl Ended {
    pub(super) fn includes(&self, block: &BlockId) -> bool {
        let is_index = self.index.is_none_or(|index| block.index == index);
        self.all || (block.parent == self.parent && is_index)
    }
}

/// The members of a line that say which streamed text it belongs to.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: &'a str,
    #[serde(borrow)]
    event: Option<StreamEvent<'a>>,
    parent_tool_use_id: Option<String>,
}

#[derive(Deserialize)]
struct StreamEvent<'a> {
    #[serde(rename = "type", borrow)]
    kind: &'a str,
    index: Option<u64>,
    #[serde(borrow)]
    delta: Option<BTreeMap<String, &'a RawValue>>,
}
