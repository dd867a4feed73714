use std::borrow::Cow;
use std::collections::VecDeque;

use bytes::{BufMut, Bytes, BytesMut};
use serde::Serialize;

use super::LongText;
use crate::control::incoming::{Answer, Payload};

/// Lines on their way to the CLI, in order, each whole.
///
/// The CLI ends with code 1 at the first line that it cannot parse, so everything that reaches its
/// stdin is written here and nowhere else.
#[derive(Debug, Default)]
pub(crate) struct Outgoing {
    /// What stands before the buffer.
    full: VecDeque<Part>,
    buffer: BytesMut,
    /// How many prompts [`take`](Self::take) has handed out to their last byte.
    prompts_taken: u64,
}

#[derive(Debug)]
enum Part {
    Bytes(Bytes),
    /// Lines of which the last one is a prompt.
    Prompt(Bytes),
    /// A text, and what stands before it.
    Text(Bytes, LongText),
}

/// A payload of this size is worth more than a copy: it is sent from where it is.
const LARGE: usize = 32 * 1024;

/// How large a buffer is made.
const BUFFER: usize = 4 * 1024;

/// More than what stands around the id and the payload of an answer.
const FRAME: usize = 128;

impl Outgoing {
    /// What is to be written next: as a rule everything that waits.
    pub(crate) fn take(&mut self) -> Option<Bytes> {
        match self.full.pop_front() {
            Some(Part::Bytes(bytes)) => Some(bytes),
            Some(Part::Prompt(bytes)) => {
                self.prompts_taken += 1;
                Some(bytes)
            }
            Some(Part::Text(before, text)) => Some(self.portion(&before, text)),
            None => (!self.buffer.is_empty()).then(|| self.buffer.split().freeze()),
        }
    }

    /// Returns how many prompts [`take`](Self::take) has handed out to their last byte.
    pub(crate) fn prompts_taken(&self) -> u64 {
        self.prompts_taken
    }

    /// Appends a prompt as one line.
    ///
    /// The portion that holds its end holds nothing behind it: the prompt is written as soon as that
    /// portion is, however much follows.
    pub(crate) fn prompt(&mut self, prompt: &impl Serialize) -> Result<(), serde_json::Error> {
        self.line(prompt)?;
        let lines = self.buffer.split().freeze();
        self.full.push_back(Part::Prompt(lines));
        Ok(())
    }

    /// Appends a value as one line.
    fn line(&mut self, value: &impl Serialize) -> Result<(), serde_json::Error> {
        let before = self.buffer.len();
        let written = serde_json::to_writer((&mut self.buffer).writer(), value);
        if written.is_err() {
            // Half a line would end the CLI.
            self.buffer.truncate(before);
            return written;
        }
        self.buffer.put_u8(b'\n');
        Ok(())
    }

    /// Appends a request whose body has been encoded already.
    pub(crate) fn request(&mut self, id: &str, body: &str) {
        self.text(r#"{"type":"control_request","request_id":"#);
        self.string(id);
        self.text(r#","request":"#);
        self.json(body);
        self.text("}\n");
    }

    /// Appends the withdrawal of a request.
    pub(crate) fn cancel(&mut self, id: &str) {
        self.text(r#"{"type":"control_cancel_request","request_id":"#);
        self.string(id);
        self.text("}\n");
    }

    /// Appends the answer to a request of the CLI; silence is an answer that writes nothing.
    pub(crate) fn answer(&mut self, id: &str, answer: Answer) {
        match answer {
            Answer::Success(payload) => {
                let copied = Some(payload.start().len()).filter(|length| *length < LARGE);
                self.make_room(FRAME + id.len() + copied.unwrap_or_default());
                self.text(
                    r#"{"type":"control_response","response":{"subtype":"success","request_id":"#,
                );
                self.string(id);
                self.text(r#","response":"#);
                self.payload(payload);
            }
            Answer::Error { message, code } => {
                self.text(
                    r#"{"type":"control_response","response":{"subtype":"error","request_id":"#,
                );
                self.string(id);
                self.text(r#","error":"#);
                self.string(&message);
                if let Some(code) = code {
                    self.text(r#","error_code":"#);
                    self.string(&code);
                }
            }
            Answer::Silence => return,
        }
        self.text("}}\n");
    }

    fn text(&mut self, text: &str) {
        self.buffer.extend_from_slice(text.as_bytes());
    }

    fn payload(&mut self, payload: Payload) {
        let (json, rest) = payload.into_parts();
        if json.len() < LARGE {
            self.buffer.extend_from_slice(&json);
        } else {
            let before = self.buffer.split().freeze();
            self.full.push_back(Part::Bytes(before));
            self.full.push_back(Part::Bytes(match json {
                Cow::Borrowed(bytes) => Bytes::from_static(bytes),
                Cow::Owned(bytes) => bytes.into(),
            }));
        }
        if let Some(rest) = rest {
            let before = self.buffer.split().freeze();
            self.full.push_back(Part::Text(before, rest.text));
            self.buffer.extend_from_slice(&rest.end);
        }
    }

    /// The next portion of a text, with the last one also what follows.
    fn portion(&mut self, before: &[u8], mut text: LongText) -> Bytes {
        let mut json = Vec::with_capacity(before.len() + LongText::PORTION);
        json.extend_from_slice(before);
        if !text.write_portion(&mut json) {
            self.full.push_front(Part::Text(Bytes::new(), text));
        } else if self.full.is_empty() {
            json.extend_from_slice(&self.buffer);
            self.buffer.clear();
        }
        json.into()
    }

    /// Sees to it that the next line fits, and some more, so that not every line needs a new buffer.
    fn make_room(&mut self, length: usize) {
        if self.buffer.capacity() - self.buffer.len() < length {
            self.buffer.reserve(length.max(BUFFER));
        }
    }

    /// Appends JSON text of any layout without breaking the line.
    fn json(&mut self, json: &str) {
        let start = self.buffer.len();
        self.text(json);
        in_one_line(&mut self.buffer[start..]);
    }

    fn string(&mut self, text: &str) {
        // As ids are.
        let is_plain = |byte: u8| byte >= b' ' && !matches!(byte, b'"' | b'\\');
        if text.bytes().all(is_plain) {
            self.text("\"");
            self.text(text);
            return self.text("\"");
        }
        serde_json::to_writer((&mut self.buffer).writer(), text)
            .expect("a string always has a JSON form, and a buffer always takes it");
    }
}

/// Makes blanks of line ends. Inside a string they are always escaped, so a bare one is white space.
pub(crate) fn in_one_line(json: &mut [u8]) {
    let mut rest = json;
    while let Some(at) = memchr::memchr(b'\n', rest) {
        rest[at] = b' ';
        rest = &mut rest[at + 1..];
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::mcp::{CallToolResult, result_payload};

    fn lines(outgoing: &mut Outgoing) -> Vec<Value> {
        let mut bytes = Vec::new();
        while let Some(chunk) = outgoing.take() {
            bytes.extend_from_slice(&chunk);
        }
        bytes
            .split_inclusive(|byte| *byte == b'\n')
            .map(|line| {
                assert_eq!(line.last(), Some(&b'\n'), "every line is whole");
                serde_json::from_slice(line).expect("every line is JSON")
            })
            .collect()
    }

    #[test]
    fn a_payload_with_line_ends_stays_one_line() {
        let payload = "{\n \"text\": \"a\\nb\"\r\n}";
        let mut outgoing = Outgoing::default();
        let payload = Payload::of_json(payload.into());
        outgoing.answer("r1", Answer::Success(payload));
        outgoing.cancel("r2");
        let lines = lines(&mut outgoing);
        assert_eq!(lines[0]["response"]["response"]["text"], "a\nb");
        assert_eq!(lines[1]["request_id"], "r2");
    }

    #[test]
    fn a_large_payload_keeps_its_place_and_is_not_copied() {
        let text = "x".repeat(LARGE);
        for payload in [format!("\"{text}\""), format!("[\"{text}\",\n1]")] {
            let mut outgoing = Outgoing::default();
            outgoing.cancel("before");
            let payload = Payload::of_json(payload.into());
            let place = payload.start().as_ptr();
            outgoing.answer("r1", Answer::Success(payload));
            outgoing.cancel("behind");
            let is_it = |part: &Part| matches!(part, Part::Bytes(bytes) if bytes.as_ptr() == place);
            assert!(outgoing.full.iter().any(is_it));
            let lines = lines(&mut outgoing);
            assert_eq!(lines.len(), 3);
            assert_eq!(lines[0]["request_id"], "before");
            let sent = &lines[1]["response"]["response"];
            assert!(sent == &text || sent[0] == text);
            assert_eq!(lines[2]["request_id"], "behind");
        }
    }

    #[test]
    fn a_long_text_goes_in_portions() {
        let text = "a line\n".repeat(50_000);
        let result = CallToolResult::text(text.clone());
        let (payload, _) = result_payload("7", result).expect("JSON");
        let mut outgoing = Outgoing::default();
        outgoing.cancel("before");
        outgoing.answer("r1", Answer::Success(payload));
        outgoing.cancel("behind");
        let mut bytes = Vec::new();
        while let Some(portion) = outgoing.take() {
            assert!(portion.len() < 2 * LongText::PORTION);
            bytes.extend_from_slice(&portion);
        }
        outgoing.buffer.extend_from_slice(&bytes);
        let lines = lines(&mut outgoing);
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0]["request_id"], "before");
        let result = &lines[1]["response"]["response"]["mcp_response"]["result"];
        assert_eq!(result["content"][0]["text"], text);
        assert_eq!(lines[2]["request_id"], "behind");
    }

    #[test]
    fn a_value_that_cannot_be_encoded_leaves_no_half_line() {
        struct Half;
        impl Serialize for Half {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::{Error, SerializeSeq};
                let mut seq = serializer.serialize_seq(None)?;
                seq.serialize_element("begun")?;
                Err(S::Error::custom("changed its mind"))
            }
        }
        let mut outgoing = Outgoing::default();
        outgoing.line(&"before").expect("a string");
        outgoing.line(&Half).expect_err("it fails half-way");
        outgoing.line(&"after").expect("a string");
        assert_eq!(lines(&mut outgoing), ["before", "after"]);
    }

    #[test]
    fn prompt_is_taken_before_what_follows_it() {
        let mut outgoing = Outgoing::default();
        let answer = || {
            Answer::Success(Payload::of_json(
                format!("\"{}\"", "x".repeat(LARGE)).into(),
            ))
        };
        outgoing.answer("r1", answer());
        outgoing.cancel("before");
        outgoing.prompt(&"first").expect("a string");
        outgoing.cancel("between");
        outgoing.prompt(&"second").expect("a string");
        outgoing.answer("r2", answer());
        let mut taken = Vec::new();
        while let Some(bytes) = outgoing.take() {
            if outgoing.prompts_taken() > taken.len() as u64 {
                taken.push(bytes);
            }
        }
        assert_eq!(taken.len(), 2);
        assert!(taken[0].ends_with(b"\"first\"\n"));
        assert!(taken[1].ends_with(b"\"second\"\n"));
    }

    #[test]
    fn strange_ids_and_messages_are_escaped() {
        let mut outgoing = Outgoing::default();
        let answer = Answer::Error {
            message: "no \"quotes\"\nand lines".to_owned(),
            code: Some("bad".to_owned()),
        };
        outgoing.answer("a\"b\n", answer);
        outgoing.answer("silent", Answer::Silence);
        let lines = lines(&mut outgoing);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0]["response"]["request_id"], "a\"b\n");
        assert_eq!(lines[0]["response"]["error"], "no \"quotes\"\nand lines");
        assert_eq!(lines[0]["response"]["error_code"], "bad");
    }
}
