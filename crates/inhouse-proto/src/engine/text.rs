use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

use bytes::Bytes;
use bytestring::ByteString;

/// A piece of text that shares the memory of the line it stood in.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Text(ByteString);

impl Text {
    /// The text of a line; `None` when it is not UTF-8. Nobody has to check it again.
    pub(super) fn of_line(line: Bytes) -> Option<Self> {
        ByteString::try_from(line).ok().map(Self)
    }

    /// A part of this text, which is given as a part of it.
    pub(super) fn part(&self, part: &str) -> Self {
        Self(self.0.slice_ref(part))
    }

    /// Returns a copy with memory of its own, as much as it needs.
    pub(super) fn to_detached(&self) -> Self {
        self.as_str().to_owned().into()
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its bytes.
    pub(super) fn bytes(&self) -> &Bytes {
        self.0.as_bytes()
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}
