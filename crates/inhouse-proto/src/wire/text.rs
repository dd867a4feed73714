use std::borrow::{Borrow, Cow};
use std::fmt;
use std::ops::Deref;

use bytes::Bytes;
use bytestring::ByteString;

/// A text that shares the memory of the line that it is a part of.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Text(ByteString);

impl Text {
    /// Creates a text from a line; `None` if the line is not UTF-8.
    pub(crate) fn of_line(line: Bytes) -> Option<Self> {
        ByteString::try_from(line).ok().map(Self)
    }

    /// Returns a part of this text without a copy. A text that is not a slice of this one is copied.
    #[must_use]
    pub fn part<'a>(&self, part: impl Into<Cow<'a, str>>) -> Self {
        match part.into() {
            Cow::Borrowed(part) if self.contains_memory(part) => Self(self.0.slice_ref(part)),
            other => Self(other.into_owned().into()),
        }
    }

    /// Returns a copy with its own memory, of exactly the length of the text.
    pub(crate) fn to_detached(&self) -> Self {
        self.as_str().to_owned().into()
    }

    /// Returns the text as a string slice.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the bytes of the text, which share its memory.
    pub(crate) fn bytes(&self) -> &Bytes {
        self.0.as_bytes()
    }

    /// Returns whether a string slice points into the memory of this text.
    fn contains_memory(&self, part: &str) -> bool {
        let (own, part) = (
            self.as_bytes().as_ptr_range(),
            part.as_bytes().as_ptr_range(),
        );
        own.start <= part.start && part.end <= own.end
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self
    }
}

impl From<&'static str> for Text {
    fn from(text: &'static str) -> Self {
        Self(ByteString::from_static(text))
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
