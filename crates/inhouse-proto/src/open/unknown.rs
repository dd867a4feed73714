use serde::{Serialize, Serializer};
use serde_json::Value;

/// Something on the wire that this version cannot type: kept whole, so that nothing is lost.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Unknown {
    /// The tag by which its kind would have been told, such as `type` or `type/subtype`; empty when
    /// there was none.
    pub tag: String,
    /// The value as it came; a string with its text where it cannot be parsed, as when it is nested
    /// deeper than 128 levels.
    pub raw: Value,
    /// Why a value with a known tag could not be typed; `None` when the tag itself is unknown.
    pub reason: Option<String>,
}

impl Unknown {
    /// Keeps a value whose tag is not known.
    #[must_use]
    pub fn tagged(tag: impl Into<String>, raw: Value) -> Self {
        Self {
            tag: tag.into(),
            raw,
            reason: None,
        }
    }

    /// Keeps a value whose tag is known but whose shape is not.
    #[must_use]
    pub fn misshapen(tag: impl Into<String>, raw: Value, reason: impl ToString) -> Self {
        Self {
            tag: tag.into(),
            raw,
            reason: Some(reason.to_string()),
        }
    }
}

impl Serialize for Unknown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw.serialize(serializer)
    }
}
