use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A value that this version cannot type, kept as the text that came.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unknown {
    /// The tag of the value, such as its `type`; empty if it has none.
    pub tag: String,
    /// The JSON text of the value.
    pub raw: Box<RawValue>,
    /// Why a value with a known tag could not be typed; `None` if the tag itself is unknown.
    pub reason: Option<String>,
}

impl Unknown {
    /// Keeps a value whose tag is unknown.
    #[must_use]
    pub fn tagged(tag: impl Into<String>, raw: Box<RawValue>) -> Self {
        Self {
            tag: tag.into(),
            raw,
            reason: None,
        }
    }

    /// Keeps a value whose tag is known but whose shape is not.
    #[must_use]
    pub fn misshapen(tag: impl Into<String>, raw: Box<RawValue>, reason: impl ToString) -> Self {
        Self {
            tag: tag.into(),
            raw,
            reason: Some(reason.to_string()),
        }
    }

    /// Parses the value; `Null` if it is nested deeper than `serde_json` parses.
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
