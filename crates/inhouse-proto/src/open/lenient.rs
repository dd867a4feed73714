use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, Error as _};
use serde_json::{Map, Value};

use super::Reader;

/// Decoding in two ways: fast, and patiently where the fast way meets a surprise.
///
/// The patient way gives up as little as possible. An open object puts an optional member of the
/// wrong shape into [`Extra`](super::Extra), an open union becomes its `Unknown` variant, and only a
/// required member of the wrong shape fails its object.
pub trait Open: Sized {
    /// Types a parsed value, patiently.
    ///
    /// # Errors
    /// When the value, or a member that it cannot do without, has another shape.
    fn open(value: Value) -> Result<Self, Mismatch>;

    /// Types the text that comes next, fast; `None` at any surprise.
    #[must_use]
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        Self::open(reader.parse()?).ok()
    }

    /// The value of a member that is not there; `None` where it is required.
    #[must_use]
    fn absent() -> Option<Self> {
        None
    }
}

/// Decodes JSON text: fast, and patiently if that fails.
pub(crate) fn decode<T: Open>(text: &str) -> Result<T, Mismatch> {
    match Reader::new(text).whole() {
        Some(value) => Ok(value),
        None => T::open(serde_json::from_str(text).map_err(Mismatch::new)?),
    }
}

/// Decodes from any format, patiently.
pub(crate) fn deserialize<'de, T: Open, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let value = serde::Deserialize::deserialize(deserializer)?;
    T::open(value).map_err(D::Error::custom)
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
    ($($leaf:ty: $read:expr,)*) => {
        $(impl Open for $leaf {
            fn open(value: Value) -> Result<Self, Mismatch> {
                leaf(value)
            }

            fn read(reader: &mut Reader<'_>) -> Option<Self> {
                $read(reader)
            }
        })*
    };
}

leaves! {
    bool: Reader::boolean,
    u8: whole_number,
    u16: whole_number,
    u32: whole_number,
    u64: Reader::unsigned,
    i32: Reader::parse,
    i64: Reader::parse,
    f64: Reader::parse,
    String: |reader: &mut Reader<'_>| reader.text().map(Cow::into_owned),
    Value: Reader::parse,
}

fn whole_number<T: TryFrom<u64>>(reader: &mut Reader<'_>) -> Option<T> {
    T::try_from(reader.unsigned()?).ok()
}

/// An object of which nothing is known. `null` is an empty one.
impl Open for Map<String, Value> {
    fn open(value: Value) -> Result<Self, Mismatch> {
        match value {
            Value::Null => Ok(Self::new()),
            value => leaf(value),
        }
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        match reader.null()? {
            true => Some(Self::new()),
            false => reader.parse(),
        }
    }
}

impl<T: Open> Open for Option<T> {
    fn open(value: Value) -> Result<Self, Mismatch> {
        match value {
            Value::Null => Ok(None),
            value => T::open(value).map(Some),
        }
    }

    #[inline]
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        match reader.null()? {
            true => Some(None),
            false => T::read(reader).map(Some),
        }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Open> Open for Box<T> {
    fn open(value: Value) -> Result<Self, Mismatch> {
        T::open(value).map(Box::new)
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let value = T::read(reader)?;
        Some(Box::new(value))
    }
}

impl<T: Open> Open for Vec<T> {
    fn open(value: Value) -> Result<Self, Mismatch> {
        let items: Vec<Value> = leaf(value)?;
        items.into_iter().map(T::open).collect()
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let mut items = Self::new();
        reader.list(|reader| {
            items.push(T::read(reader)?);
            Some(())
        })?;
        Some(items)
    }
}

impl<T: Open> Open for BTreeMap<String, T> {
    fn open(value: Value) -> Result<Self, Mismatch> {
        object(value)?
            .into_iter()
            .map(|(name, value)| Ok((name, T::open(value)?)))
            .collect()
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let mut members = Self::new();
        reader.object(|reader, name| {
            members.insert(name.to_owned(), T::read(reader)?);
            Some(())
        })?;
        Some(members)
    }
}
