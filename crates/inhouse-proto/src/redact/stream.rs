use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::delta::{BlockId, delta_in, ended_by, is_request};
use super::filter::CleanText;
use super::json::{decoded, quoted};
use super::{REPLACEMENT, Secrets, pattern, private_key};

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
    /// The number of the first line of the queue; lines are numbered in the order in which they were queued.
    first: u64,
    queued_bytes: usize,
    /// Whether the last lines of stderr begin a private key.
    in_private_key: bool,
    /// Whether every line is written as it is.
    is_off: bool,
    /// The last line of each side, if it has no secret: the CLI, the host.
    clean: [CleanText; 2],
    /// How many bytes of streamed texts were searched.
    #[cfg(test)]
    searched: usize,
}

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
    /// The redacted line before and behind the text.
    before: String,
    after: String,
    /// The length of the text.
    length: usize,
    /// The redacted text, once it is settled.
    redacted: Option<String>,
}

/// The state of a streamed text.
#[derive(Debug)]
struct Block {
    id: BlockId,
    /// The end of the text, from a place before which everything is settled.
    text: String,
    /// How many bytes of `text` belong to deltas that are not held back.
    released: usize,
    /// The numbers of the deltas that are held back.
    held: VecDeque<u64>,
    /// The length of `text` from which on it is searched again.
    ///
    /// A text without blanks is never settled before its end. It is searched when it has grown by an eighth, so that all searches
    /// together cost a fixed multiple of its length.
    next_search: usize,
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
            first: 0,
            queued_bytes: 0,
            in_private_key: false,
            is_off: false,
            clean: Default::default(),
            #[cfg(test)]
            searched: 0,
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
        if !is_request(json)
            && DELTA.find(json.as_bytes()).is_some()
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
        let redacted = self.redact_text(text, |secrets| secrets.redact(text));
        self.push_line([before, &quoted(&redacted), after], out);
    }

    /// Adds the start of a line of text whose rest is not known, with a `mark` in the place of the rest.
    pub fn push_cut_text(
        &mut self,
        before: &str,
        text: &str,
        mark: &str,
        after: &str,
        out: &mut Vec<u8>,
    ) {
        let redacted = self.redact_text(text, |secrets| secrets.redact_cut(text).into());
        self.push_line([before, &quoted(&format!("{redacted}{mark}")), after], out);
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

    /// Redacts a line of text, or all of it inside of a private key.
    fn redact_text<'a>(
        &mut self,
        text: &'a str,
        redact: impl FnOnce(&Secrets) -> Cow<'a, str>,
    ) -> Cow<'a, str> {
        if self.is_off {
            return text.into();
        }
        if self.in_private_key {
            // Another key may begin behind the end of this one.
            let end = text.split_once("-----END ");
            self.in_private_key = end.is_none_or(|(_, rest)| private_key::is_open(rest));
            return REPLACEMENT.into();
        }
        self.in_private_key = private_key::is_open(text);
        redact(&self.secrets)
    }

    /// Replaces the secrets in a line of a side; `None` if there is none.
    fn redact_line(&mut self, json: &str, side: usize) -> Option<String> {
        match self.secrets.may_be_in_beside(json, &mut self.clean[side]) {
            true => self.secrets.redact_json(json),
            false => None,
        }
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
            before: before.to_owned() + &redact(line_start),
            after: redact(line_end) + after,
            length: text.len(),
            redacted: None,
        };
        let number = self.first + self.queue.len() as u64;
        self.queued_bytes += delta.len();
        self.queue.push_back(Queued::Delta(delta));
        let at = self.blocks.iter().position(|block| block.id == id);
        let at = at.unwrap_or_else(|| {
            self.blocks.push(Block::new(id));
            self.blocks.len() - 1
        });
        let block = &mut self.blocks[at];
        block.held.push_back(number);
        block.text.push_str(&text);
        if block.text.len() >= block.next_search {
            self.settle(at, false);
        }
        if self.queued_bytes > MAX_QUEUED {
            self.close_blocks();
        }
        self.release(out);
    }

    /// Redacts the deltas of a block whose text is settled; all of them if the block is `complete`.
    fn settle(&mut self, at: usize, complete: bool) {
        let block = &mut self.blocks[at];
        if block.is_closed {
            for number in block.held.drain(..) {
                redact_delta(&mut self.queue, number - self.first, String::new());
            }
            return block.text.clear();
        }
        #[cfg(test)]
        {
            self.searched += block.text.len();
        }
        let found = match self.secrets.may_be_in(&block.text) {
            true => self.secrets.find(&block.text),
            false => Vec::new(),
        };
        let split_at = |end: usize| {
            let mut found = found.iter();
            found.find(|range| range.start < end && end < range.end)
        };
        let settled = match complete {
            true => block.text.len(),
            false => {
                let settled = self.secrets.settled(&block.text);
                split_at(settled).map_or(settled, |secret| secret.start)
            }
        };
        while let Some(number) = block.held.front() {
            let place = number - self.first;
            let start = block.released;
            let end = start + delta_length(&self.queue, place);
            if end > settled {
                break;
            }
            let mut text = String::new();
            let mut copied = start;
            let first = found.partition_point(|range| range.end <= start);
            for range in found[first..].iter().take_while(|range| range.start < end) {
                if range.start >= start {
                    text.push_str(&block.text[copied..range.start]);
                    text.push_str(REPLACEMENT);
                }
                copied = range.end.min(end);
            }
            text.push_str(&block.text[copied..end]);
            redact_delta(&mut self.queue, place, text);
            block.released = end;
            block.held.pop_front();
        }
        // The text is cut where the words before decide about nothing behind, and not between a secret and its name: a header without
        // the quote before its name would reach to the end of its line.
        let mut keep = self.secrets.settled(&block.text[..block.released]);
        while let Some(secret) = split_at(keep) {
            keep = pattern::deciding_words(&block.text[..secret.start]);
        }
        block.text.drain(..keep);
        block.released -= keep;
        block.next_search = block.text.len() + block.text.len() / 8;
    }

    /// Redacts the rest of each block, because too much is held back.
    fn close_blocks(&mut self) {
        for at in 0..self.blocks.len() {
            let block = &mut self.blocks[at];
            if let Some(number) = block.held.pop_front() {
                redact_delta(&mut self.queue, number - self.first, REPLACEMENT.to_owned());
                block.is_closed = true;
                block.next_search = 0;
                self.settle(at, true);
            }
        }
    }

    /// Completes the blocks that a line ends.
    fn end_blocks(&mut self, json: &str) {
        let Some(ended) = ended_by(json) else { return };
        for at in (0..self.blocks.len()).rev() {
            if ended.includes(&self.blocks[at].id) {
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
            self.first += 1;
        }
    }
}

impl Block {
    fn new(id: BlockId) -> Self {
        Self {
            id,
            text: String::new(),
            released: 0,
            held: VecDeque::new(),
            next_search: 0,
            is_closed: false,
        }
    }
}

/// Returns the length of the text of a delta that is held back.
fn delta_length(queue: &VecDeque<Queued>, place: u64) -> usize {
    match &queue[place as usize] {
        Queued::Delta(delta) => delta.length,
        Queued::Line(_) => 0,
    }
}

/// Sets the redacted text of a delta that is held back.
fn redact_delta(queue: &mut VecDeque<Queued>, place: u64, text: String) {
    if let Queued::Delta(delta) = &mut queue[place as usize] {
        delta.redacted = Some(text);
    }
}

impl Delta {
    fn len(&self) -> usize {
        self.before.len() + self.length + self.after.len()
    }
}

#[cfg(test)]
mod tests;
