use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use crate::wire::{LongText, in_one_line};

/// What answers a request of the CLI: JSON text on one line.
#[derive(Clone, PartialEq, Eq)]
pub struct Payload {
    json: Cow<'static, [u8]>,
    /// What follows, where that is long.
    rest: Option<Box<Rest>>,
}

/// A string, and what stands behind it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Rest {
    pub(crate) text: LongText,
    pub(crate) end: Vec<u8>,
}

impl Payload {
    /// The JSON form of a value.
    ///
    /// # Errors
    /// When it has none.
    pub fn new(value: &impl Serialize) -> serde_json::Result<Self> {
        serde_json::to_vec(value).map(Self::of_json)
    }

    /// Text that is known to be JSON, in any layout.
    pub(crate) fn of_json(mut json: Vec<u8>) -> Self {
        in_one_line(&mut json);
        Self {
            json: Cow::Owned(json),
            rest: None,
        }
    }

    /// Text that is known to be JSON on one line once the string stands in it, which is written when
    /// it is sent.
    pub(crate) fn around(start: Vec<u8>, text: LongText, end: Vec<u8>) -> Self {
        Self {
            json: Cow::Owned(start),
            rest: Some(Box::new(Rest { text, end })),
        }
    }

    /// Text that is known to be JSON on one line.
    pub(crate) const fn of_constant(json: &'static str) -> Self {
        Self {
            json: Cow::Borrowed(json.as_bytes()),
            rest: None,
        }
    }

    /// The text.
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

    /// How many bytes the text takes.
    #[must_use]
    pub fn size(&self) -> usize {
        let rest = |rest: &Rest| rest.text.size() + rest.end.len();
        self.json.len() + self.rest.as_deref().map_or(0, rest)
    }

    /// As much of it as is written already.
    pub(crate) fn start(&self) -> &[u8] {
        &self.json
    }

    /// The [start](Self::start), and what follows it.
    pub(crate) fn into_parts(self) -> (Cow<'static, [u8]>, Option<Box<Rest>>) {
        (self.json, self.rest)
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

const IS_TEXT: &str = "JSON is written as text";
