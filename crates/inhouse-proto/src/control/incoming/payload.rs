use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use crate::wire::replace_line_breaks;

/// The payload of a successful [`Answer`](super::Answer): JSON text on one line.
#[derive(Clone, PartialEq, Eq)]
pub struct Payload {
    json: Cow<'static, [u8]>,
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
        }
    }

    /// Creates a payload from a constant, which must be valid JSON on one line.
    pub(crate) const fn of_constant(json: &'static str) -> Self {
        Self {
            json: Cow::Borrowed(json.as_bytes()),
        }
    }

    /// Returns the payload as JSON text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.json).expect("JSON is valid UTF-8")
    }

    /// Returns the size of the JSON text in bytes.
    pub(crate) fn size(&self) -> usize {
        self.json.len()
    }

    pub(crate) fn into_json(self) -> Cow<'static, [u8]> {
        self.json
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
