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
pub(crate) trait Open: Sized {
    /// Whether it may be absent as a member; then a blank one stands for that.
    const OPTIONAL: bool = false;

    /// Types a parsed value, patiently.
    ///
    /// # Errors
    /// When the value, or a member that it cannot do without, has another shape.
    fn open(value: Value) -> Result<Self, Mismatch>;

    /// A value to be filled.
    #[must_use]
    fn blank() -> Self;

    /// Types the text that comes next into a blank value, fast; `None` at any surprise, and then what
    /// was to be filled is of no use. A value that is not blank would keep a part of what it was.
    ///
    /// Values are filled where they are to stay: most of them are large, and would be moved once for
    /// each object around them.
    #[must_use]
    fn fill(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        *self = Self::open(reader.parse()?).ok()?;
        Some(())
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

            fn blank() -> Self {
                Self::default()
            }

            #[inline]
            fn fill(&mut self, reader: &mut Reader<'_>) -> Option<()> {
                *self = $read(reader)?;
                Some(())
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

    fn blank() -> Self {
        Self::new()
    }

    fn fill(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        if !reader.null()? {
            *self = reader.parse()?;
        }
        Some(())
    }
}

impl<T: Open> Open for Option<T> {
    const OPTIONAL: bool = true;

    fn open(value: Value) -> Result<Self, Mismatch> {
        match value {
            Value::Null => Ok(None),
            value => T::open(value).map(Some),
        }
    }

    fn blank() -> Self {
        None
    }

    #[inline]
    fn fill(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        match reader.null()? {
            true => Some(()),
            false => self.insert(T::blank()).fill(reader),
        }
    }
}

impl<T: Open> Open for Box<T> {
    fn open(value: Value) -> Result<Self, Mismatch> {
        T::open(value).map(Box::new)
    }

    #[inline]
    fn blank() -> Self {
        Self::new(T::blank())
    }

    #[inline]
    fn fill(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        T::fill(self, reader)
    }
}

impl<T: Open> Open for Vec<T> {
    fn open(value: Value) -> Result<Self, Mismatch> {
        let items: Vec<Value> = leaf(value)?;
        items.into_iter().map(T::open).collect()
    }

    fn blank() -> Self {
        Self::new()
    }

    fn fill(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        reader.list(|reader| {
            self.push(T::blank());
            self.last_mut()?.fill(reader)
        })
    }
}

impl<T: Open> Open for BTreeMap<String, T> {
    fn open(value: Value) -> Result<Self, Mismatch> {
        object(value)?
            .into_iter()
            .map(|(name, value)| Ok((name, T::open(value)?)))
            .collect()
    }

    fn blank() -> Self {
        Self::new()
    }

    fn fill(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        reader.object(|reader, name| {
            let value = reader.value()?;
            self.insert(name.to_owned(), value);
            Some(())
        })
    }
}
