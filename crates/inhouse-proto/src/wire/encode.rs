use std::borrow::Cow;
use std::collections::VecDeque;

use bytes::{BufMut, Bytes, BytesMut};
use serde::Serialize;

use crate::control::incoming::{Answer, Payload};

/// The queue of lines to write to the CLI, in order.
///
/// The CLI exits with code 1 at the first line that it cannot parse. So this type encodes everything that is written to
/// its stdin, and appends whole lines only.
#[derive(Debug, Default)]
pub(crate) struct Outgoing {
    /// Parts to write before the buffer.
    full: VecDeque<Part>,
    buffer: BytesMut,
    /// Number of prompts that [`take`](Self::take) has returned completely.
    prompts_taken: u64,
}

#[derive(Debug)]
enum Part {
    Bytes(Bytes),
    /// Lines of which the last one is a prompt.
    Prompt(Bytes),
}

/// Payloads of at least this many bytes are sent without a copy.
const LARGE: usize = 32 * 1024;

/// Minimum size of a new buffer in bytes.
const BUFFER: usize = 4 * 1024;

/// Upper bound for the bytes of an answer besides its id and its payload.
const ANSWER_OVERHEAD: usize = 128;

impl Outgoing {
    /// Returns the bytes to write next: usually everything that is queued.
    pub(crate) fn take(&mut self) -> Option<Bytes> {
        match self.full.pop_front() {
            Some(Part::Bytes(bytes)) => Some(bytes),
            Some(Part::Prompt(bytes)) => {
                self.prompts_taken += 1;
                Some(bytes)
            }
            None => (!self.buffer.is_empty()).then(|| self.buffer.split().freeze()),
        }
    }

    /// Returns how many prompts [`take`](Self::take) has returned completely.
    pub(crate) fn prompts_taken(&self) -> u64 {
        self.prompts_taken
    }

    /// Appends a prompt as one line.
    ///
    /// The bytes that contain the end of the prompt contain nothing after it. So the prompt has been written as soon as
    /// those bytes have, no matter how much is queued behind it.
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
            // The CLI exits at an incomplete line.
            self.buffer.truncate(before);
            return written;
        }
        self.buffer.put_u8(b'\n');
        Ok(())
    }

    /// Appends a control request whose body is JSON text.
    pub(crate) fn request(&mut self, id: &str, body: &str) {
        self.text(r#"{"type":"control_request","request_id":"#);
        self.string(id);
        self.text(r#","request":"#);
        self.json(body);
        self.text("}\n");
    }

    /// Appends the cancellation of a control request.
    pub(crate) fn cancel(&mut self, id: &str) {
        self.text(r#"{"type":"control_cancel_request","request_id":"#);
        self.string(id);
        self.text("}\n");
    }

    /// Appends the answer to a request of the CLI. [`Answer::Silence`] writes nothing.
    pub(crate) fn answer(&mut self, id: &str, answer: Answer) {
        match answer {
            Answer::Success(payload) => {
                let copied = Some(payload.size()).filter(|length| *length < LARGE);
                self.reserve_line(ANSWER_OVERHEAD + id.len() + copied.unwrap_or_default());
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
        let json = payload.into_json();
        if json.len() < LARGE {
            self.buffer.extend_from_slice(&json);
        } else {
            // Queue the buffer first to keep the order. The text after the payload goes into the buffer again.
            let before = self.buffer.split().freeze();
            self.full.push_back(Part::Bytes(before));
            self.full.push_back(Part::Bytes(match json {
                Cow::Borrowed(bytes) => Bytes::from_static(bytes),
                Cow::Owned(bytes) => bytes.into(),
            }));
        }
    }

    /// Reserves space for a line of this length, in steps of [`BUFFER`] so that short lines share a buffer.
    fn reserve_line(&mut self, length: usize) {
        if self.buffer.capacity() - self.buffer.len() < length {
            self.buffer.reserve(length.max(BUFFER));
        }
    }

    /// Appends JSON text, with its line breaks replaced.
    fn json(&mut self, json: &str) {
        let start = self.buffer.len();
        self.text(json);
        replace_line_breaks(&mut self.buffer[start..]);
    }

    fn string(&mut self, text: &str) {
        // Fast path: ids need no escapes.
        let is_plain = |byte: u8| byte >= b' ' && !matches!(byte, b'"' | b'\\');
        if text.bytes().all(is_plain) {
            self.text("\"");
            self.text(text);
            return self.text("\"");
        }
        serde_json::to_writer((&mut self.buffer).writer(), text)
            .expect("writing a string to a buffer does not fail");
    }
}

/// Replaces line breaks in JSON text with spaces. A line break inside a string is always escaped, so an unescaped one
/// is whitespace between tokens.
pub(crate) fn replace_line_breaks(json: &mut [u8]) {
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

    fn lines(outgoing: &mut Outgoing) -> Vec<Value> {
        let mut bytes = Vec::new();
        while let Some(chunk) = outgoing.take() {
            bytes.extend_from_slice(&chunk);
        }
        bytes
            .split_inclusive(|byte| *byte == b'\n')
            .map(|line| {
                assert_eq!(line.last(), Some(&b'\n'), "lines are complete");
                serde_json::from_slice(line).expect("lines are JSON")
            })
            .collect()
    }

    #[test]
    fn payload_with_line_breaks_is_written_on_one_line() {
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
    fn large_payload_keeps_its_order_and_is_not_copied() {
        let text = "x".repeat(LARGE);
        for payload in [format!("\"{text}\""), format!("[\"{text}\",\n1]")] {
            let mut outgoing = Outgoing::default();
            outgoing.cancel("before");
            let payload = Payload::of_json(payload.into());
            let address = payload.as_str().as_ptr();
            outgoing.answer("r1", Answer::Success(payload));
            outgoing.cancel("behind");
            let is_payload =
                |part: &Part| matches!(part, Part::Bytes(bytes) if bytes.as_ptr() == address);
            assert!(outgoing.full.iter().any(is_payload));
            let lines = lines(&mut outgoing);
            assert_eq!(lines.len(), 3);
            assert_eq!(lines[0]["request_id"], "before");
            let sent = &lines[1]["response"]["response"];
            assert!(sent == &text || sent[0] == text);
            assert_eq!(lines[2]["request_id"], "behind");
        }
    }

    #[test]
    fn failed_encoding_leaves_no_incomplete_line() {
        struct FailsHalfway;
        impl Serialize for FailsHalfway {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::{Error, SerializeSeq};
                let mut seq = serializer.serialize_seq(None)?;
                seq.serialize_element("begun")?;
                Err(S::Error::custom("encoding failed"))
            }
        }
        let mut outgoing = Outgoing::default();
        outgoing.line(&"before").expect("a string");
        outgoing
            .line(&FailsHalfway)
            .expect_err("the encoding fails");
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
    fn special_characters_in_ids_and_messages_are_escaped() {
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
