use std::borrow::Cow;

use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, Deserializer, Error as _, IntoDeserializer, Visitor};
use serde_json::de::StrRead;
use serde_json::{Error, Result};

use crate::open::Reader;
use crate::wire::Skim;

/// From how many bytes on a look at the members pays.
const LONG: usize = 8 * 1024;

/// Types the arguments of a call as `serde_json` does.
///
/// `serde_json` collects a text with escapes in a buffer that grows with it, and copies it from there.
/// Most arguments that are long are so by one text, the content of a file: where a member is a text, it
/// becomes one here in a single step.
///
/// # Errors
/// When the arguments do not fit the type, with what `serde_json` says to that.
pub fn read_arguments<T: DeserializeOwned>(arguments: &str) -> Result<T> {
    if arguments.len() >= LONG
        && let Ok(typed) = T::deserialize(Arguments(arguments))
    {
        return Ok(typed);
    }
    serde_json::from_str(arguments)
}

/// The text of an object. Whatever is odd about it is an error, and left to `serde_json`.
struct Arguments<'a>(&'a str);

impl<'a> Arguments<'a> {
    fn members(&self) -> Option<Vec<(String, Member<'a>)>> {
        let mut members = Vec::new();
        let mut skim = Skim::new(self.0);
        skim.object(|skim, name| {
            let has_controls = name.bytes().any(|byte| byte < b' ');
            members.push((name.to_owned(), Member(skim.value()?)));
            (!has_controls).then_some(())
        })?;
        skim.end()?;
        Some(members)
    }
}

/// The text of a value.
struct Member<'a>(&'a str);

impl<'a> Member<'a> {
    /// Its text, if it is one.
    fn text(&self) -> Option<Cow<'a, str>> {
        Reader::new(self.0).text()
    }
}

impl<'a> IntoDeserializer<'a, Error> for Member<'a> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// What is left to `serde_json`.
macro_rules! as_serde_does {
    ($( $method:ident ( $( $name:ident: $ty:ty ),* ) )*) => {
        $( fn $method<V: Visitor<'de>>(self, $( $name: $ty, )* visitor: V) -> Result<V::Value> {
            whole(self.0, |json| json.$method($( $name, )* visitor))
        } )*
    };
}

macro_rules! other_kinds_as_serde_does {
    () => {
        as_serde_does! {
            deserialize_bool() deserialize_char()
            deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64() deserialize_i128()
            deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64() deserialize_u128()
            deserialize_f32() deserialize_f64()
            deserialize_bytes() deserialize_byte_buf()
            deserialize_unit() deserialize_unit_struct(name: &'static str)
            deserialize_newtype_struct(name: &'static str)
            deserialize_seq() deserialize_tuple(length: usize)
            deserialize_tuple_struct(name: &'static str, length: usize)
            deserialize_enum(name: &'static str, variants: &'static [&'static str])
            deserialize_identifier() deserialize_ignored_any()
        }
    };
}

impl<'de> Deserializer<'de> for Arguments<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_map(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_map(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let members = self.members().ok_or_else(|| Error::custom("odd"))?;
        let mut members = MapDeserializer::new(members.into_iter());
        let value = visitor.visit_map(&mut members)?;
        members.end()?;
        Ok(value)
    }

    other_kinds_as_serde_does!();
    as_serde_does! { deserialize_str() deserialize_string() deserialize_option() }
}

impl<'de> Deserializer<'de> for Member<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.text() {
            Some(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            Some(Cow::Owned(text)) => visitor.visit_string(text),
            None => whole(self.0, |json| json.deserialize_any(visitor)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_any(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_any(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.0 {
            "null" => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    other_kinds_as_serde_does!();
    as_serde_does! {
        deserialize_map()
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
    }
}

/// Reads a value that is all of the text.
fn whole<'a, T>(
    text: &'a str,
    read: impl FnOnce(&mut serde_json::Deserializer<StrRead<'a>>) -> Result<T>,
) -> Result<T> {
    let mut json = serde_json::Deserializer::from_str(text);
    let value = read(&mut json)?;
    json.end()?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde::Deserialize;
    use serde_json::Value;
    use serde_json::value::RawValue;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    enum Mode {
        Append,
        Replace { from: u32 },
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(transparent)]
    struct Path(String);

    #[derive(Debug, Deserialize, PartialEq)]
    struct Range {
        first: f64,
        last: Option<u8>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct File {
        path: Path,
        content: String,
        note: Option<String>,
        mode: Mode,
        #[serde(default)]
        range: Option<Range>,
        #[serde(flatten)]
        others: BTreeMap<String, Value>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(untagged)]
    enum Either {
        File(Box<File>),
        Texts { texts: Vec<String> },
    }

    fn same<T: DeserializeOwned + PartialEq + std::fmt::Debug>(json: &str) -> bool {
        let expected = serde_json::from_str::<T>(json).ok();
        let typed = T::deserialize(Arguments(json)).ok();
        assert!(typed.is_none() || typed == expected, "{json}");
        typed == expected
    }

    #[test]
    fn every_kind_is_what_serde_makes_of_it() {
        for json in [
            r#"{"path":"a","content":"b\n\"\u00e9","mode":"Append"}"#,
            r#"{"path":"a","content":"b","note":null,"mode":{"Replace":{"from":7}},"x":[1.5,"\t"]}"#,
            r#" { "path" : "\u0061" , "content" : "" , "note" : "n\\" , "mode" : "Append" , "range" : {"first":1,"last":null} } "#,
            r#"{"texts":["a\n","b"]}"#,
            r#"{"path":"a","content":7,"mode":"Append"}"#,
            r#"{"path":"a","content":"b","content":"c","mode":"Append"}"#,
            r#"{"path":"a","content":"\x","mode":"Append"}"#,
            r#"{"path":"a","content":"b","mode":"Append","x":1-2}"#,
            r#"{"path":"a","content":"b","mode":"Append","x":tru}"#,
            r#"{"path":"a","content":"b"}"#,
            r#"{"a":1,}"#,
            r#"[1]"#,
            "",
        ] {
            assert!(same::<File>(json), "{json}");
            assert!(same::<Either>(json), "{json}");
            assert!(same::<Value>(json) || json == "[1]", "{json}");
            assert!(same::<BTreeMap<String, Value>>(json), "{json}");
        }
    }

    #[test]
    fn a_member_may_be_any_json() {
        #[derive(Deserialize)]
        struct Raw {
            raw: Box<RawValue>,
        }
        let raw = Raw::deserialize(Arguments(r#"{"raw": [1, "a\n"]}"#)).expect("a value");
        assert_eq!(raw.raw.get(), r#"[1, "a\n"]"#);
    }

    #[test]
    fn long_arguments_are_typed_and_wrong_ones_named() {
        let long = "a line\\n".repeat(LONG);
        let arguments = |mode: &str| format!(r#"{{"path":"a","content":"{long}","mode":{mode}}}"#);
        let file: File = read_arguments(&arguments("\"Append\"")).expect("a file");
        assert_eq!(file.content, "a line\n".repeat(LONG));
        let wrong = arguments("\"Other\"");
        let error = read_arguments::<File>(&wrong).expect_err("no such mode");
        let expected = serde_json::from_str::<File>(&wrong).expect_err("no such mode");
        assert_eq!(error.to_string(), expected.to_string());
    }

    proptest! {
        #[test]
        fn any_text_is_what_serde_makes_of_it(
            inner in "([a-z é😀]{0,80}|\\\\[\"\\\\/bfnrtu]|\\\\u00[0-9a-f]{1,2}|[\u{0}-\u{20}\u{7f}]){0,6}",
        ) {
            let json = format!(r#"{{"text":"{inner}"}}"#);
            prop_assert!(same::<BTreeMap<String, String>>(&json));
            prop_assert!(same::<Value>(&json));
        }
    }
}
