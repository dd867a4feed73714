use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::Unknown;
use crate::wire::{parse_json, replace_lone_surrogates, string_member};

thread_local! {
    /// Whether an optional member of the wrong shape is an error.
    ///
    /// A thread-local variable and not a parameter, because serde cannot pass a parameter through `Vec`, `Box` and
    /// maps.
    static STRICT: Cell<bool> = const { Cell::new(false) };
}

/// Decodes a message. An optional member of the wrong shape becomes `None`.
///
/// Wrong shapes are rare, so the text is first decoded strictly, in one pass.
pub(crate) fn decode<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    decode_strict(text).or_else(|_| decode_in(Mode::set(false), text))
}

/// Decodes a request that the host decides on. A member of the wrong shape is an error that names the member.
pub(crate) fn decode_request<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    decode_strict(text).map_err(|error| {
        // Decode again only after an error, because tracking the path is slower.
        let text = replace_lone_surrogates(text);
        let again: Result<T, _> =
            serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(&text));
        match again {
            Err(named) if named.path().iter().next().is_some() => serde_json::Error::custom(named),
            _ => error,
        }
    })
}

/// Decodes the input of a tool that the host decides on. An error names the member.
pub(crate) fn decode_value<T: DeserializeOwned>(
    value: &Map<String, Value>,
) -> serde_json::Result<T> {
    decode_strictly(value).map_err(serde_json::Error::custom)
}

/// Decodes a value that the host decides on. The text of an error names the member.
pub(crate) fn decode_strictly<'de, T: DeserializeOwned>(
    value: impl Deserializer<'de>,
) -> Result<T, String> {
    let _mode = Mode::set(true);
    serde_path_to_error::deserialize(value).map_err(|error| error.to_string())
}

fn decode_strict<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    decode_in(Mode::set(true), text)
}

/// Decodes a text in a mode, which is in effect until this function returns.
fn decode_in<T: DeserializeOwned>(_mode: Mode, text: &str) -> serde_json::Result<T> {
    parse_json(text)
}

/// A guard that sets `STRICT` for this thread, and restores the previous value when it is dropped.
struct Mode {
    before: bool,
}

impl Mode {
    fn set(strict: bool) -> Self {
        let before = STRICT.replace(strict);
        Self { before }
    }
}

impl Drop for Mode {
    fn drop(&mut self) {
        STRICT.set(self.before);
    }
}

/// Decodes a string into an enum that has a variant for unknown values.
pub(crate) fn string<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: for<'a> From<&'a str>,
    D: Deserializer<'de>,
{
    struct FromStr<T>(PhantomData<T>);

    impl<T: for<'a> From<&'a str>> Visitor<'_> for FromStr<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<E>(self, value: &str) -> Result<T, E> {
            Ok(T::from(value))
        }
    }

    deserializer.deserialize_str(FromStr(PhantomData))
}

/// Decodes a required member. An error names the member.
pub(crate) fn required<'de, T, A>(map: &mut A, name: &str) -> Result<T, A::Error>
where
    T: Deserialize<'de>,
    A: MapAccess<'de>,
{
    match map.next_value() {
        Ok(value) => Ok(value),
        Err(error) => Err(A::Error::custom(format_args!("{name}: {error}"))),
    }
}

/// Decodes an optional member.
///
/// Lenient decoding reads the member as raw text first, because serde cannot recover from an error in the middle of a
/// value.
pub(crate) fn optional<'de, T, A>(map: &mut A) -> Result<Option<T>, A::Error>
where
    T: DeserializeOwned,
    A: MapAccess<'de>,
{
    if STRICT.get() {
        return map.next_value();
    }
    let raw: Box<RawValue> = map.next_value()?;
    Ok(serde_json::from_str(raw.get()).unwrap_or_default())
}

/// The name of a member, borrowed unless it has escapes. `Cow` alone is always owned when deserialized.
#[derive(Deserialize)]
pub(crate) struct Name<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// Decodes an object by the string in its member `tag`.
///
/// `variant` decodes the text for a tag, and returns `None` for an unknown tag. The tag is read before the variant,
/// because the untagged fallback of serde hides why a known variant does not fit, and turns long integers into floats.
pub(crate) fn union<'de, T, D>(
    deserializer: D,
    tag: &str,
    variant: impl FnOnce(&str, &str) -> Option<serde_json::Result<T>>,
    unknown: impl FnOnce(Unknown) -> T,
) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
{
    // Strict decoding always reads from a text, so the value can be borrowed. `&RawValue` cannot be read from a `Value`
    // or a reader.
    let raw = match STRICT.get() {
        true => Cow::Borrowed(<&RawValue>::deserialize(deserializer)?),
        false => Cow::Owned(Box::<RawValue>::deserialize(deserializer)?),
    };
    let found = string_member(raw.get(), tag).unwrap_or_default();
    Ok(match variant(&found, raw.get()) {
        Some(Ok(value)) => value,
        Some(Err(error)) => unknown(Unknown::misshapen(found, raw.clone().into_owned(), error)),
        None => unknown(Unknown::tagged(found, raw.clone().into_owned())),
    })
}
