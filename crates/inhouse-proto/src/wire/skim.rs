use std::borrow::Cow;

use super::surrogate::replace_lone_surrogates;
use super::words::mark_in;

/// Goes through JSON text once and tells where things stand.
///
/// A value that nobody asks for is passed over at the speed of a byte search, and a value that
/// somebody asks for is handed out as the text it is, to be parsed once, where it is needed. So the
/// structure is checked on the way and the inside of values is not: that is left to whoever parses
/// them. Every method returns `None` when the text cannot be JSON.
pub(crate) struct Skim<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Skim<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Goes through the members of an object. For each, `member` gets the name, and goes past the
    /// value.
    #[inline]
    pub(crate) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &str) -> Option<()>,
    ) -> Option<()> {
        self.expect(b'{')?;
        if self.peek()? == b'}' {
            self.at += 1;
            return Some(());
        }
        loop {
            let name = self.name()?;
            self.expect(b':')?;
            member(self, &name)?;
            let next = self.peek()?;
            self.at += 1;
            match next {
                b',' => {}
                b'}' => return Some(()),
                _ => return None,
            }
        }
    }

    /// Goes through the members of an object as [`object`](Self::object) does; returns its text.
    #[inline]
    pub(crate) fn object_text(
        &mut self,
        member: impl FnMut(&mut Self, &str) -> Option<()>,
    ) -> Option<&'a str> {
        self.peek()?;
        let start = self.at;
        self.object(member)?;
        Some(&self.text[start..self.at])
    }

    /// Goes past a value and returns its text.
    pub(crate) fn value(&mut self) -> Option<&'a str> {
        let first = self.peek()?;
        let start = self.at;
        match first {
            b'"' => drop(self.string()?),
            b'{' | b'[' => self.container()?,
            _ => self.scalar()?,
        }
        Some(&self.text[start..self.at])
    }

    /// Goes past a value and returns it if it is a string, without its quotation marks and escapes.
    ///
    /// A lone surrogate becomes U+FFFD; a string with any other invalid escape counts as none.
    #[inline]
    pub(crate) fn text(&mut self) -> Option<Option<Cow<'a, str>>> {
        match self.peek()? {
            b'"' => self.unquoted(),
            _ => self.value().map(|_| None),
        }
    }

    /// Goes past a value; `null` counts as none.
    pub(crate) fn optional(&mut self) -> Option<Option<&'a str>> {
        Some(Some(self.value()?).filter(|value| *value != "null"))
    }

    /// The next byte that is not blank, which is not passed.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        loop {
            match *self.text.as_bytes().get(self.at)? {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                other => return Some(other),
            }
        }
    }

    /// Checks that nothing but blanks follows.
    pub(crate) fn end(mut self) -> Option<()> {
        self.peek().is_none().then_some(())
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    #[inline]
    fn name(&mut self) -> Option<Cow<'a, str>> {
        match self.peek()? {
            b'"' => self.unquoted()?,
            _ => None,
        }
    }

    /// Goes past a string, from its first quotation mark, and returns what it stands for, if anything.
    #[inline]
    fn unquoted(&mut self) -> Option<Option<Cow<'a, str>>> {
        let start = self.at;
        let has_escapes = self.string()?;
        Some(match has_escapes {
            true => unescaped(&self.text[start..self.at]),
            false => Some(Cow::Borrowed(&self.text[start + 1..self.at - 1])),
        })
    }

    /// Goes past a string, from its first quotation mark; tells whether it has escapes.
    #[inline]
    fn string(&mut self) -> Option<bool> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let first = start + mark(bytes.get(start..)?)?;
        let has_escapes = bytes[first] == b'\\';
        let end = match has_escapes {
            true => first + escaped_length(&bytes[first..])?,
            false => first,
        };
        self.at = end + 1;
        Some(has_escapes)
    }

    /// Goes past an object or a list, from its first bracket.
    fn container(&mut self) -> Option<()> {
        let bytes = self.text.as_bytes();
        let mut depth = 0_usize;
        loop {
            match bytes.get(self.at)? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += 1;
                        return Some(());
                    }
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    fn scalar(&mut self) -> Option<()> {
        let rest = &self.text.as_bytes()[self.at..];
        let length = rest
            .iter()
            .position(|byte| !matches!(byte, b'+' | b'-' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'E'))
            .unwrap_or(rest.len());
        let known = match rest[..length].first()? {
            b'-' | b'0'..=b'9' => true,
            _ => matches!(&rest[..length], b"true" | b"false" | b"null"),
        };
        known.then(|| self.at += length)
    }
}

/// Returns the first string member of this name in an object; `None` if there is none.
///
/// The text behind it is not looked at.
pub(crate) fn string_member<'a>(text: &'a str, name: &str) -> Option<Cow<'a, str>> {
    let mut found = None;
    let _ = Skim::new(text).object(|skim, member| {
        match member == name {
            true => found = skim.text()?,
            false => drop(skim.value()?),
        }
        found.is_none().then_some(())
    });
    found
}

/// The text of a JSON string; `None` when it is another kind of value.
pub(crate) fn unquote(value: &str) -> Option<Cow<'_, str>> {
    let inner = value.strip_prefix('"')?.strip_suffix('"')?;
    match mark(inner.as_bytes()) {
        Some(_) => unescaped(value),
        None => Some(Cow::Borrowed(inner)),
    }
}

fn unescaped(value: &str) -> Option<Cow<'_, str>> {
    let text = serde_json::from_str(value).ok();
    let text = text.or_else(|| serde_json::from_str(&replace_lone_surrogates(value)?).ok());
    text.map(Cow::Owned)
}

/// How long a string is: up to the first quotation mark that is not escaped.
///
/// Texts have many escapes, and few of quotation marks.
pub(crate) fn escaped_length(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'"', bytes).find(|end| {
        let before = bytes[..*end].iter().rev();
        before.take_while(|byte| **byte == b'\\').count() % 2 == 0
    })
}

/// How far it is to the next quotation mark or backslash.
#[inline]
fn mark(bytes: &[u8]) -> Option<usize> {
    /// Most strings have fewer words than a call of a vectorised search is worth.
    const NEAR: usize = 4;
    let (words, rest) = bytes.as_chunks();
    for (at, word) in words.iter().enumerate() {
        if at == NEAR {
            return memchr::memchr2(b'"', b'\\', bytes);
        }
        if let Some(found) = mark_in(*word) {
            return Some(at * word.len() + found);
        }
    }
    let at = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
    Some(bytes.len() - rest.len() + at)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;
    use serde_json::Value;
    use serde_json::value::RawValue;

    use super::*;

    fn members(text: &str) -> Option<HashMap<String, &str>> {
        let mut members = HashMap::new();
        let mut skim = Skim::new(text);
        skim.object(|skim, name| {
            members.insert(name.to_owned(), skim.value()?);
            Some(())
        })?;
        skim.end()?;
        Some(members)
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[\"\\\\{}\\[\\],:a-c\u{0}-\u{1f}é😀]{0,40}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 64, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map("[\"\\\\{}a-c ]{0,20}", inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn it_finds_what_serde_finds(
            object in prop::collection::btree_map("[\"\\\\{}a-c😀 ]{0,8}", json(), 0..6),
            pretty: bool,
        ) {
            let text = if pretty {
                serde_json::to_string_pretty(&object)
            } else {
                serde_json::to_string(&object)
            };
            let text = text.expect("JSON");
            let parsed: HashMap<String, &RawValue> = serde_json::from_str(&text).expect("an object");
            let expected = parsed.into_iter().map(|(name, raw)| (name, raw.get())).collect();
            prop_assert_eq!(members(&text), Some(expected));
        }

        #[test]
        fn it_passes_over_nothing_that_serde_takes(text in "[{}\\[\\]\",:\\\\ a1-]{0,24}") {
            if serde_json::from_str::<HashMap<String, Value>>(&text).is_ok() {
                prop_assert!(members(&text).is_some());
            }
        }
    }

    #[test]
    fn what_is_cut_or_garbled_is_found_out() {
        for text in [
            "",
            "[]",
            "7",
            "{",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":}",
            "{\"a\":tru}",
            "{\"a\":1",
            "{\"a\":1,",
            "{\"a\":1,}",
            "{\"a\":[1}",
            "{\"a\":\"b",
            "{\"a\":\"b\\",
            "{\"a\":\"b\\\"}",
            "{a:1}",
            "{\"a\":1}{\"b\":2}",
            "{\"a\":\"b{\"c\":1}",
            "Warning: {\"a\":1}",
        ] {
            assert_eq!(members(text), None, "{text}");
        }
    }
}
