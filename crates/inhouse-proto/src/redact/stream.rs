use std::collections::VecDeque;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::json::{decoded, quoted};
use super::{REPLACEMENT, Secrets, private_key};

/// Redacts the lines of a session, in their order.
///
/// A secret may be split over several deltas of a streamed message. The end of such a text is held back, with all lines
/// behind it, until it is clear whether it begins a secret: for about three words, or up to the closing quote of a value.
#[derive(Debug)]
pub struct Redactor {
    secrets: Secrets,
    blocks: Vec<Block>,
    /// Lines from the first one that is held back.
    queue: VecDeque<Queued>,
    queued_bytes: usize,
    /// Whether the last lines of stderr begin a private key.
    in_private_key: bool,
    /// Whether every line is written as it is.
    is_off: bool,
    /// The last line of each side that may have no secret: the CLI, the host.
    clean: [Vec<u8>; 2],
}

/// Longer lines are not kept to be compared with the next one.
const MAX_CLEAN: usize = 4 << 10;

/// How many bytes are held back. Beyond them the rest of each open block is redacted.
const MAX_QUEUED: usize = 4 << 20;

#[derive(Debug)]
enum Queued {
    Line(String),
    Delta(Delta),
}

/// A line with a part of a streamed text.
#[derive(Debug)]
struct Delta {
    block: BlockId,
    /// The redacted line before and behind the text.
    before: String,
    after: String,
    /// The length of the text.
    length: usize,
    /// The redacted text, once it is settled.
    redacted: Option<String>,
}

/// A streamed text: a content block of a message, and the member of its deltas.
#[derive(Clone, Debug, PartialEq, Eq)]
struct BlockId {
    parent: Option<String>,
    index: u64,
    member: &'static str,
}

/// The state of a streamed text.
#[derive(Debug)]
struct Block {
    id: BlockId,
    /// The end of the text, from a place before which everything is settled.
    text: String,
    /// How many bytes of `text` belong to deltas that are not held back.
    released: usize,
    /// Whether the rest of the text is redacted, because too much was held back.
    is_closed: bool,
}

impl Redactor {
    /// Creates a redactor for the lines of one session.
    #[must_use]
    pub fn new(secrets: Secrets) -> Self {
        Self {
            secrets,
            blocks: Vec::new(),
            queue: VecDeque::new(),
            queued_bytes: 0,
            in_private_key: false,
            is_off: false,
            clean: [Vec::new(), Vec::new()],
        }
    }

    /// Creates a redactor that redacts nothing.
    #[must_use]
    pub fn off() -> Self {
        Self {
            is_off: true,
            ..Self::new(Secrets::new([]))
        }
    }

    /// Adds a line of the host, to be written between `before` and `after`, and appends what is settled to `out`.
    pub fn push_host(&mut self, before: &str, json: &str, after: &str, out: &mut Vec<u8>) {
        let redacted = match self.is_off {
            true => None,
            false => self.redact_line(json, 1),
        };
        self.push_line([before, redacted.as_deref().unwrap_or(json), after], out);
    }

    /// Adds a line of the CLI, to be written between `before` and `after`, and appends what is settled to `out`.
    pub fn push_cli(&mut self, before: &str, json: &str, after: &str, out: &mut Vec<u8>) {
        static DELTA: LazyLock<Finder<'static>> =
            LazyLock::new(|| Finder::new(b"\"content_block_delta\""));
        if self.is_off {
            return self.push_line([before, json, after], out);
        }
        if DELTA.find(json.as_bytes()).is_some()
            && let Some((id, text)) = delta_in(json)
        {
            let parts = [&json[..text.start], &json[text.clone()], &json[text.end..]];
            return self.push_delta(id, before, parts, after, out);
        }
        if !self.blocks.is_empty() {
            self.end_blocks(json);
            self.release(out);
        }
        let redacted = self.redact_line(json, 0);
        self.push_line([before, redacted.as_deref().unwrap_or(json), after], out);
    }

    /// Adds a line of text, such as one of stderr, to be written as a JSON string between `before` and `after`.
    pub fn push_text(&mut self, before: &str, text: &str, after: &str, out: &mut Vec<u8>) {
        let redacted = if self.is_off {
            text.into()
        } else if self.in_private_key {
            // Another key may begin behind the end of this one.
            let end = text.split_once("-----END ");
            self.in_private_key = end.is_none_or(|(_, rest)| private_key::is_open(rest));
            REPLACEMENT.into()
        } else {
            self.in_private_key = private_key::is_open(text);
            self.secrets.redact(text)
        };
        self.push_line([before, &quoted(&redacted), after], out);
    }

    /// Adds a line without secrets.
    pub fn push_plain(&mut self, line: &str, out: &mut Vec<u8>) {
        self.push_line([line], out);
    }

    /// Appends everything that is held back, at the end of the session.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        for at in 0..self.blocks.len() {
            self.settle(at, true);
        }
        self.blocks.clear();
        self.release(out);
    }

    /// Replaces the secrets in a line of a side; `None` if there is none.
    fn redact_line(&mut self, json: &str, side: usize) -> Option<String> {
        let clean = &mut self.clean[side];
        if self.secrets.may_be_in_beside(json, clean) {
            return self.secrets.redact_json(json);
        }
        if json.len() <= MAX_CLEAN {
            clean.clear();
            clean.extend_from_slice(json.as_bytes());
        }
        None
    }

    fn push_line<const N: usize>(&mut self, parts: [&str; N], out: &mut Vec<u8>) {
        if self.queue.is_empty() {
            return parts
                .iter()
                .for_each(|part| out.extend_from_slice(part.as_bytes()));
        }
        let line = parts.concat();
        self.queued_bytes += line.len();
        self.queue.push_back(Queued::Line(line));
        if self.queued_bytes > MAX_QUEUED {
            self.close_blocks();
            self.release(out);
        }
    }

    fn push_delta(
        &mut self,
        id: BlockId,
        before: &str,
        [line_start, text, line_end]: [&str; 3],
        after: &str,
        out: &mut Vec<u8>,
    ) {
        let text = decoded(text);
        let redact = |json: &str| {
            self.secrets
                .redact_json(json)
                .unwrap_or_else(|| json.to_owned())
        };
        let delta = Delta {
            block: id.clone(),
            before: before.to_owned() + &redact(line_start),
            after: redact(line_end) + after,
            length: text.len(),
            redacted: None,
        };
        self.queued_bytes += delta.len();
        self.queue.push_back(Queued::Delta(delta));
        let at = self.blocks.iter().position(|block| block.id == id);
        let at = at.unwrap_or_else(|| {
            self.blocks.push(Block {
                id,
                text: String::new(),
                released: 0,
                is_closed: false,
            });
            self.blocks.len() - 1
        });
        self.blocks[at].text.push_str(&text);
        self.settle(at, false);
        if self.queued_bytes > MAX_QUEUED {
            self.close_blocks();
        }
        self.release(out);
    }

    /// Redacts the deltas of a block whose text is settled; all of them if the block is `complete`.
    fn settle(&mut self, at: usize, complete: bool) {
        let block = &mut self.blocks[at];
        let deltas = self.queue.iter_mut().filter_map(|queued| match queued {
            Queued::Delta(delta) if delta.block == block.id && delta.redacted.is_none() => {
                Some(delta)
            }
            _ => None,
        });
        if block.is_closed {
            deltas.for_each(|delta| delta.redacted = Some(String::new()));
            return block.text.clear();
        }
        let found = match self.secrets.may_be_in(&block.text) {
            true => self.secrets.find(&block.text),
            false => Vec::new(),
        };
        let before_secrets = |end: usize| {
            let cut = found
                .iter()
                .find(|range| range.start < end && end < range.end);
            cut.map_or(end, |range| range.start)
        };
        let settled = match complete {
            true => block.text.len(),
            false => before_secrets(self.secrets.settled(&block.text)),
        };
        for delta in deltas {
            let (start, end) = (block.released, block.released + delta.length);
            if end > settled {
                break;
            }
            let mut text = String::new();
            let mut copied = start;
            for range in found
                .iter()
                .filter(|range| range.end > start && range.start < end)
            {
                if range.start >= start {
                    text.push_str(&block.text[copied..range.start]);
                    text.push_str(REPLACEMENT);
                }
                copied = range.end.min(end);
            }
            text.push_str(&block.text[copied..end]);
            delta.redacted = Some(text);
            block.released = end;
        }
        // The text is cut where the words before decide about nothing behind.
        let keep = before_secrets(self.secrets.settled(&block.text[..block.released]));
        block.text.drain(..keep);
        block.released -= keep;
    }

    /// Redacts the rest of each block, because too much is held back.
    fn close_blocks(&mut self) {
        for at in 0..self.blocks.len() {
            let id = self.blocks[at].id.clone();
            let mut deltas = self.queue.iter_mut().filter_map(|queued| match queued {
                Queued::Delta(delta) if delta.block == id && delta.redacted.is_none() => {
                    Some(delta)
                }
                _ => None,
            });
            if let Some(delta) = deltas.next() {
                delta.redacted = Some(REPLACEMENT.to_owned());
                self.blocks[at].is_closed = true;
                self.settle(at, true);
            }
        }
    }

    /// Completes the blocks that a line ends.
    fn end_blocks(&mut self, json: &str) {
        let Ok(line) = serde_json::from_str::<Line<'_>>(json) else {
            return;
        };
        let event = line.event.as_ref();
        let index = match (line.kind, event.map(|event| event.kind)) {
            (_, Some("content_block_stop")) => event.and_then(|event| event.index),
            (_, Some("message_start" | "message_stop")) | ("assistant" | "result", _) => None,
            _ => return,
        };
        let parent = line.parent_tool_use_id.as_deref();
        let ends = |id: &BlockId| {
            line.kind == "result"
                || (id.parent.as_deref() == parent && index.is_none_or(|index| id.index == index))
        };
        for at in (0..self.blocks.len()).rev() {
            if ends(&self.blocks[at].id) {
                self.settle(at, true);
                self.blocks.swap_remove(at);
            }
        }
    }

    /// Appends the lines up to the first one that is held back.
    fn release(&mut self, out: &mut Vec<u8>) {
        while let Some(next) = self.queue.front() {
            match next {
                Queued::Line(line) => {
                    self.queued_bytes -= line.len();
                    out.extend_from_slice(line.as_bytes());
                }
                Queued::Delta(delta) => {
                    let Some(text) = &delta.redacted else { return };
                    self.queued_bytes -= delta.len();
                    for part in [&delta.before, &quoted(text), &delta.after] {
                        out.extend_from_slice(part.as_bytes());
                    }
                }
            }
            self.queue.pop_front();
        }
    }
}

impl Delta {
    fn len(&self) -> usize {
        self.before.len() + self.length + self.after.len()
    }
}

/// Returns whether a line of the CLI is a JSON object.
///
/// Requests are only checked for their start and their end. They are most lines of a session with many tool calls, and
/// whatever else is wrong with one is an error that the CLI gets.
#[must_use]
pub fn is_json_line(line: &str) -> bool {
    let line = line.trim();
    let is_request = line.starts_with("{\"type\":\"control_request\"") && line.ends_with('}');
    is_request || (line.starts_with('{') && serde_json::from_str::<IgnoredAny>(line).is_ok())
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
    delta: Option<Members<'a>>,
}

/// The members of a delta that contain a part of a longer text.
#[derive(Deserialize)]
struct Members<'a> {
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    #[serde(borrow)]
    thinking: Option<&'a RawValue>,
    #[serde(borrow)]
    partial_json: Option<&'a RawValue>,
    #[serde(borrow)]
    signature: Option<&'a RawValue>,
}

/// Returns the block of a delta, and where its text is in the line.
fn delta_in(json: &str) -> Option<(BlockId, Range<usize>)> {
    let line: Line<'_> = serde_json::from_str(json).ok()?;
    let event = line.event?;
    let delta = event.delta?;
    let members = [
        ("text", delta.text),
        ("thinking", delta.thinking),
        ("partial_json", delta.partial_json),
        ("signature", delta.signature),
    ];
    let (member, text) = members
        .into_iter()
        .find_map(|(member, text)| Some((member, text?.get())))?;
    if !text.starts_with('"') {
        return None;
    }
    let start = text.as_ptr() as usize - json.as_ptr() as usize;
    let id = BlockId {
        parent: line.parent_tool_use_id,
        index: event.index.unwrap_or_default(),
        member,
    };
    Some((id, start..start + text.len()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const KNOWN: &str = "open \"sesame\" of Ali/Baba";
    const KEY: &str = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----";

    fn redactor() -> Redactor {
        Redactor::new(Secrets::new([KNOWN.to_owned()]))
    }

    fn delta(member: &str, text: &str) -> String {
        json!({
            "type": "stream_event",
            "event": {
                "type": "content_block_delta", "index": 1,
                "delta": { "type": "some_delta", member: text },
            },
            "parent_tool_use_id": null,
        })
        .to_string()
    }

    fn stop() -> String {
        let event = json!({ "type": "content_block_stop", "index": 1 });
        json!({ "type": "stream_event", "event": event, "parent_tool_use_id": null }).to_string()
    }

    /// Streams the parts of a text; returns the bytes that were written and the text in them.
    fn streamed<'a>(member: &str, parts: impl IntoIterator<Item = &'a str>) -> (String, String) {
        let mut redactor = redactor();
        let mut out = Vec::new();
        for part in parts {
            redactor.push_cli("", &delta(member, part), "\n", &mut out);
        }
        redactor.push_cli("", &stop(), "\n", &mut out);
        assert!(redactor.queue.is_empty() && redactor.queued_bytes == 0);
        let written = String::from_utf8(out).unwrap();
        let lines = written
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let text =
            lines.filter_map(|line| Some(line["event"]["delta"][member].as_str()?.to_owned()));
        let text = text.collect();
        (written, text)
    }

    /// Texts with a secret, and a part of it that must not be written.
    fn texts() -> Vec<(String, &'static str)> {
        let escaped = json!({ "a": KNOWN, "b": 1 }).to_string();
        let twice = json!({ "a": escaped }).to_string();
        let password = r#"{"password":"!abc12345","n":1}"#.to_owned();
        let phrase =
            json!({ "password": "correct \"horse\" battery\\", "b": "a b c d" }).to_string();
        let headers = json!({
            "authorization": "Custom of the user",
            "set-cookie": ["sid=1; a b c d", "other of sid"],
            "other": "text",
        })
        .to_string();
        vec![
            (format!("Say {KNOWN} and go on with it now."), "sesame"),
            (escaped, "sesame"),
            (twice, "sesame"),
            (
                "The key is sk-ant-api03-AbCdEfGh12345 as you know, so use it.".to_owned(),
                "AbCdEfGh",
            ),
            (
                r#"{"command": "curl -H 'Authorization: Bearer abcdef012345' host"}"#.to_owned(),
                "abcdef012345",
            ),
            (
                "set api_key = 'q1w2e3r4t5z6' and then some more words".to_owned(),
                "q1w2e3r4",
            ),
            (
                format!("Here it is:\n{KEY}\nKeep it, will you please?"),
                "MIIE",
            ),
            (json!({ "key": KEY, "other": "text" }).to_string(), "MIIE"),
            (
                "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln is a token".to_owned(),
                "hbGciOiJ",
            ),
            (
                "run DB_PASSWORD=$ecret12345 and then some more".to_owned(),
                "ecret",
            ),
            (password.clone(), "!abc"),
            (json!({ "a": password }).to_string(), "!abc"),
            (phrase.clone(), "horse"),
            (json!({ "content": phrase }).to_string(), "horse"),
            (headers.clone(), "sid"),
            (json!({ "content": headers }).to_string(), "Custom"),
            (
                "the password = 'it is a \\'long one' as you know, so use it".to_owned(),
                "long",
            ),
        ]
    }

    #[test]
    fn secret_that_is_split_anywhere_is_redacted() {
        for (text, secret) in texts() {
            let whole = Secrets::new([KNOWN.to_owned()]).redact(&text).into_owned();
            assert!(
                whole.contains(REPLACEMENT) && !whole.contains(secret),
                "{whole}"
            );
            for cut in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                let (written, streamed) = streamed("text", [&text[..cut], &text[cut..]]);
                assert!(!written.contains(secret), "cut at {cut}: {written}");
                assert_eq!(streamed, whole, "cut at {cut}");
            }
        }
    }

    #[test]
    fn secret_in_deltas_of_one_byte_is_redacted() {
        for (text, _) in texts() {
            let whole = Secrets::new([KNOWN.to_owned()]).redact(&text).into_owned();
            for member in ["text", "thinking", "partial_json"] {
                let (_, streamed) = streamed(member, text.split_inclusive(|_| true));
                assert_eq!(streamed, whole);
            }
        }
    }

    #[test]
    fn settled_words_are_written_at_once() {
        let mut redactor = redactor();
        let mut out = Vec::new();
        for word in ["One ", "two ", "three ", "four ", "five "] {
            redactor.push_cli("", &delta("text", word), "\n", &mut out);
        }
        redactor.push_cli("", r#"{"type":"system"}"#, "\n", &mut out);
        let written = String::from_utf8(out.clone()).unwrap();
        assert_eq!(written.lines().count(), 3, "{written}");
        redactor.finish(&mut out);
        let written = String::from_utf8(out).unwrap();
        assert_eq!(written.lines().count(), 6, "{written}");
        assert!(written.ends_with("{\"type\":\"system\"}\n"));
    }

    #[test]
    fn blocks_of_several_messages_do_not_mix() {
        let mut redactor = redactor();
        let mut out = Vec::new();
        let (start, end) = KNOWN.split_at(9);
        let other = delta("text", "other").replace("null", "\"toolu_1\"");
        for line in [delta("text", start), other, delta("text", end), stop()] {
            redactor.push_cli("", &line, "\n", &mut out);
        }
        redactor.finish(&mut out);
        let written = String::from_utf8(out).unwrap();
        assert!(
            !written.contains("sesame") && written.contains("\"other\""),
            "{written}"
        );
    }

    #[test]
    fn rest_of_a_block_is_redacted_when_too_much_is_held_back() {
        let mut redactor = redactor();
        let mut out = Vec::new();
        redactor.push_cli("", &delta("text", "sk-ant-"), "\n", &mut out);
        let line = json!({ "type": "system", "text": "x".repeat(1 << 20) }).to_string();
        for _ in 0..5 {
            redactor.push_cli("", &line, "\n", &mut out);
        }
        assert!(redactor.queue.is_empty());
        redactor.push_cli("", &delta("text", "api03-abcdefgh"), "\n", &mut out);
        redactor.push_cli("", &stop(), "\n", &mut out);
        let written = String::from_utf8(out).unwrap();
        assert!(!written.contains("api03"));
        assert_eq!(written.lines().count(), 8);
    }

    #[test]
    fn second_private_key_of_a_line_of_stderr_is_redacted() {
        let one_line = KEY.replace('\n', " ");
        let begin = "-----BEGIN PRIVATE KEY-----";
        for first in [
            vec![format!("{one_line} {begin}")],
            vec![
                begin.to_owned(),
                format!("-----END PRIVATE KEY----- {begin}"),
            ],
        ] {
            let mut redactor = redactor();
            let mut out = Vec::new();
            for line in first.iter().map(String::as_str).chain(["MIIE"]) {
                redactor.push_text("", line, "\n", &mut out);
            }
            let written = String::from_utf8(out).unwrap();
            assert!(!written.contains("MIIE"), "{written}");
        }
    }

    #[test]
    fn private_key_in_lines_of_stderr_is_redacted() {
        let mut redactor = redactor();
        let mut out = Vec::new();
        for line in ["before"].into_iter().chain(KEY.lines()).chain(["after"]) {
            redactor.push_text("", line, "\n", &mut out);
        }
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "\"before\"\n\"[redacted]\"\n\"[redacted]\"\n\"[redacted]\"\n\"[redacted]\"\n\"after\"\n"
        );
    }
}
