use std::borrow::Cow;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::ContentBlock;
use crate::open::decode;

/// Content that is encoded either as a plain string or as a list of blocks.
///
/// Both forms are equivalent for text. The form that was received is kept, so that encoding writes the same form.
#[derive(Clone, Debug, PartialEq)]
pub enum MessageContent {
    /// Content as a plain string.
    Text(String),
    /// Content as a list of blocks.
    Blocks(Vec<ContentBlock>),
}

impl MessageContent {
    /// Returns the blocks; empty if the content is a plain string.
    #[must_use]
    pub fn blocks(&self) -> &[ContentBlock] {
        match self {
            Self::Text(_) => &[],
            Self::Blocks(blocks) => blocks,
        }
    }

    /// Returns all text: the plain string, or the text blocks concatenated in order.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::message::{ContentBlock, MessageContent};
    ///
    /// let blocks = MessageContent::from(vec![ContentBlock::text("a"), ContentBlock::text("b")]);
    /// assert_eq!(blocks.text(), "ab");
    /// assert_eq!(MessageContent::from("ab").text(), "ab");
    /// ```
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Blocks(blocks) => text_of(blocks),
        }
    }
}

/// Returns the text blocks of a list, concatenated; borrowed if there is at most one.
pub(in crate::message) fn text_of(blocks: &[ContentBlock]) -> Cow<'_, str> {
    let mut texts = blocks.iter().filter_map(ContentBlock::as_text);
    let first = texts.next().unwrap_or_default();
    texts.fold(Cow::Borrowed(first), |all, next| all + next)
}

impl From<&str> for MessageContent {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for MessageContent {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<ContentBlock>> for MessageContent {
    fn from(blocks: Vec<ContentBlock>) -> Self {
        Self::Blocks(blocks)
    }
}

impl Serialize for MessageContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Blocks(blocks) => blocks.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for MessageContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        let content = match raw.get().starts_with('"') {
            true => decode(raw.get()).map(Self::Text),
            false => decode(raw.get()).map(Self::Blocks),
        };
        content.map_err(D::Error::custom)
    }
}
