use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use crate::wire::{LongText, replace_line_breaks};

/// The payload of a successful [`Answer`](super::Answer): JSON text on one line.
#[derive(Clone, PartialEq, Eq)]
pub struct Payload {
    json: Cow<'static, [u8]>,
    /// The rest of the payload, if it contains a long text.
    rest: Option<Box<Rest>>,
}

/// A long string, and the JSON text that follows it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Rest {
    pub(crate) text: LongText,
    pub(crate) end: Vec<u8>,
}

impl Payload {
    /// Encodes a value as JSON.
    ///
    /// # Errors
    /// If the value cannot be serialized.
    pub fn new(value: &impl Serialize) -> serde_json::Result<Self> {
        serde_json::to_vec(value).map(Self::of_json)
    }

    /// Creates a payload from valid JSON text, which may have line breaks.
    pub(crate) fn of_json(mut json: Vec<u8>) -> Self {
        replace_line_breaks(&mut json);
        Self {
            json: Cow::Owned(json),
            rest: None,
        }
    }

    /// Creates a payload from valid JSON on one line with a long string in the middle.
    ///
    /// The string is escaped in portions while the payload is sent.
    pub(crate) fn around(start: Vec<u8>, text: LongText, end: Vec<u8>) -> Self {
        Self {
            json: Cow::Owned(start),
            rest: Some(Box::new(Rest { text, end })),
        }
    }

    /// Creates a payload from a constant, which must be valid JSON on one line.
    pub(crate) const fn of_constant(json: &'static str) -> Self {
        Self {
            json: Cow::Borrowed(json.as_bytes()),
            rest: None,
        }
    }

    /// Returns the payload as JSON text.
    #[must_use]
    pub fn to_text(&self) -> Cow<'_, str> {
        let Some(rest) = &self.rest else {
            return Cow::Borrowed(std::str::from_utf8(&self.json).expect(IS_TEXT));
        };
        let mut json = self.json.to_vec();
        rest.text.write_all(&mut json);
        json.extend_from_slice(&rest.end);
        Cow::Owned(String::from_utf8(json).expect(IS_TEXT))
    }

    /// Returns the size of the JSON text in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        let rest = |rest: &Rest| rest.text.size() + rest.end.len();
        self.json.len() + self.rest.as_deref().map_or(0, rest)
    }

    /// Returns the JSON text up to the long string, or all of it if there is no long string.
    pub(crate) fn start(&self) -> &[u8] {
        &self.json
    }

    /// Returns the [start](Self::start), and the rest of the payload.
    pub(crate) fn into_parts(self) -> (Cow<'static, [u8]>, Option<Box<Rest>>) {
        (self.json, self.rest)
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

const IS_TEXT: &str = "JSON is valid UTF-8";
