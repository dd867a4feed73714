use std::collections::BTreeMap;
use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Decoding that gives up as little as possible.
///
/// Used when the fast decoding of a whole line fails. An open object puts an optional member of the
/// wrong shape into [`Extra`](super::Extra), an open union becomes its `Unknown` variant, and only a
/// required member of the wrong shape fails its object.
pub trait Open: Sized {
    /// Types a parsed value.
    ///
    /// # Errors
    /// When the value, or a member that it cannot do without, has another shape.
    fn open(value: Value) -> Result<Self, Mismatch>;
}

/// Why a value could not be typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch(String);

impl Mismatch {
    pub(crate) fn new(reason: impl ToString) -> Self {
        Self(reason.to_string())
    }

    /// The same reason, one level further out.
    pub(crate) fn within(self, member: &str) -> Self {
        Self(format!("{member}: {}", self.0))
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Mismatch {}

/// The members of an object, or why it is none.
pub(crate) fn object(value: Value) -> Result<Map<String, Value>, Mismatch> {
    match value {
        Value::Object(members) => Ok(members),
        other => Err(Mismatch::new(format_args!(
            "expected an object, found {other}"
        ))),
    }
}

/// Leaves have nothing to be patient about: serde decides.
pub(crate) fn leaf<T: DeserializeOwned>(value: Value) -> Result<T, Mismatch> {
    serde_json::from_value(value).map_err(Mismatch::new)
}

macro_rules! leaves {
    ($($leaf:ty)*) => {
        $(impl Open for $leaf {
            fn open(value: Value) -> Result<Self, Mismatch> {
                leaf(value)
            }
        })*
    };
}

leaves! { bool u8 u16 u32 u64 i32 i64 f64 String Value Map<String, Value> }

impl<T: Open> Open for Option<T> {
    fn open(value: Value) -> Result<Self, Mismatch> {
        match value {
            Value::Null => Ok(None),
            value => T::open(value).map(Some),
        }
    }
}

impl<T: Open> Open for Box<T> {
    fn open(value: Value) -> Result<Self, Mismatch> {
        T::open(value).map(Box::new)
    }
}

impl<T: Open> Open for Vec<T> {
    fn open(value: Value) -> Result<Self, Mismatch> {
        let items: Vec<Value> = leaf(value)?;
        items.into_iter().map(T::open).collect()
    }
}

impl<T: Open> Open for BTreeMap<String, T> {
    fn open(value: Value) -> Result<Self, Mismatch> {
        object(value)?
            .into_iter()
            .map(|(name, value)| Ok((name, T::open(value)?)))
            .collect()
    }
}
