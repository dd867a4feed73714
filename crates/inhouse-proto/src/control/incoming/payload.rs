use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use crate::wire::in_one_line;

/// What answers a request of the CLI: JSON text on one line.
#[derive(Clone, PartialEq, Eq)]
pub struct Payload(Cow<'static, [u8]>);

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
        Self(Cow::Owned(json))
    }

    /// Text that is known to be JSON on one line.
    pub(crate) const fn of_constant(json: &'static str) -> Self {
        Self(Cow::Borrowed(json.as_bytes()))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("JSON is written as text")
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn into_bytes(self) -> Cow<'static, [u8]> {
        self.0
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
