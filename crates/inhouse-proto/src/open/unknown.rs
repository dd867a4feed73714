use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A value that this version of the crate cannot decode, as the JSON text that was received.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unknown {
    /// The tag of the value, such as its `type`; empty if there is none.
    pub tag: String,
    /// The whole value as JSON text.
    pub raw: Box<RawValue>,
    /// Reason why a value with a known tag could not be decoded; `None` if the tag is unknown.
    pub reason: Option<String>,
}

impl Unknown {
    /// Creates a value whose tag is unknown.
    #[must_use]
    pub fn tagged(tag: impl Into<String>, raw: Box<RawValue>) -> Self {
        Self {
            tag: tag.into(),
            raw,
            reason: None,
        }
    }

    /// Creates a value whose tag is known, but whose shape is wrong for a reason.
    #[must_use]
    pub fn misshapen(tag: impl Into<String>, raw: Box<RawValue>, reason: impl ToString) -> Self {
        Self {
            tag: tag.into(),
            raw,
            reason: Some(reason.to_string()),
        }
    }

    /// Parses the value. Returns `Null` if it is nested deeper than `serde_json` supports.
    #[must_use]
    pub fn value(&self) -> Value {
        serde_json::from_str(self.raw.get()).unwrap_or_default()
    }
}

impl PartialEq for Unknown {
    fn eq(&self, other: &Self) -> bool {
        self.tag == other.tag && self.raw.get() == other.raw.get() && self.reason == other.reason
    }
}

impl Serialize for Unknown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw.serialize(serializer)
    }
}
