use std::borrow::Cow;

use super::surrogate::parse_json;
use super::swar::{self, Word};

/// A scanner that finds the members of JSON objects without parsing their values.
///
/// It skips unneeded values at the speed of a byte search, and returns needed values as slices of the text, to be
/// parsed later and only once. It checks the structure of the objects that it scans, but not the inside of the values.
/// Every method returns `None` if the text cannot be JSON.
pub(crate) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Scans an object and returns its text. Calls `member` with the name of each member; the closure must consume the
    /// value.
    #[inline]
    pub(crate) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &str) -> Option<()>,
    ) -> Option<&'a str> {
        self.expect(b'{')?;
        let start = self.at - 1;
        if self.peek()? == b'}' {
            self.at += 1;
            return Some(&self.text[start..self.at]);
        }
        loop {
            if self.peek()? != b'"' {
                return None;
            }
            let name_start = self.at;
            let has_escapes = self.string()?;
            let unescaped_name;
            let name = match has_escapes {
                true => {
                    unescaped_name = unescaped(&self.text[name_start..self.at])?;
                    &*unescaped_name
                }
                false => &self.text[name_start + 1..self.at - 1],
            };
            self.expect(b':')?;
            member(self, name)?;
            // The closure has consumed the value, so the next byte separates members or ends the object.
            let next = self.peek()?;
            self.at += 1;
            match next {
                b',' => {}
                b'}' => return Some(&self.text[start..self.at]),
                _ => return None,
            }
        }
    }

    /// Consumes a value and returns its text.
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

    /// Consumes a value. Returns the unescaped text of a string, and `Some(None)` for any other value or an invalid
    /// escape. A lone surrogate becomes U+FFFD.
    #[inline]
    pub(crate) fn text(&mut self) -> Option<Option<Cow<'a, str>>> {
        if self.peek()? != b'"' {
            return self.value().map(|_| None);
        }
        let start = self.at;
        Some(match self.string()? {
            true => unescaped(&self.text[start..self.at]),
            false => Some(Cow::Borrowed(&self.text[start + 1..self.at - 1])),
        })
    }

    /// Consumes a value and returns its text; `Some(None)` for `null`.
    pub(crate) fn optional(&mut self) -> Option<Option<&'a str>> {
        Some(Some(self.value()?).filter(|value| *value != "null"))
    }

    /// Skips whitespace and returns the next byte without consuming it.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        loop {
            match *self.text.as_bytes().get(self.at)? {
                // First, because nearly every byte is one of these.
                other @ b'!'.. => return Some(other),
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                other => return Some(other),
            }
        }
    }

    /// Checks that only whitespace follows.
    pub(crate) fn end(mut self) -> Option<()> {
        self.peek().is_none().then_some(())
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Consumes a string from its opening quotation mark; returns whether it has escapes.
    #[inline(always)]
    fn string(&mut self) -> Option<bool> {
        let bytes = self.text.as_bytes();
        let first = find_quote_or_backslash(bytes, self.at + 1)?;
        let has_escapes = bytes[first] == b'\\';
        let end = match has_escapes {
            true => first + escaped_length(&bytes[first..])?,
            false => first,
        };
        self.at = end + 1;
        Some(has_escapes)
    }

    /// Consumes an object or an array from its opening bracket.
    ///
    /// Counts brackets outside of strings, but does not check that `{` pairs with `}`: the parser of the value does.
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

    /// Consumes a number, `true`, `false` or `null`. The digits of a number are not checked.
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

/// Returns the first member with this name that is a string; `None` if there is none.
///
/// The text after the member is not checked.
pub(crate) fn string_member<'a>(text: &'a str, name: &str) -> Option<Cow<'a, str>> {
    let mut found = None;
    let _ = Scanner::new(text).object(|scanner, member| {
        match member == name {
            true => found = scanner.text()?,
            false => drop(scanner.value()?),
        }
        found.is_none().then_some(())
    });
    found
}

/// Returns the unescaped text of a JSON string; `None` for any other value.
pub(crate) fn unquote(value: &str) -> Option<Cow<'_, str>> {
    Scanner::new(value).text()?
}

/// Unescapes a JSON string.
fn unescaped<'a>(value: &str) -> Option<Cow<'a, str>> {
    parse_json(value).ok().map(Cow::Owned)
}

/// Returns the length of a string: up to the first quotation mark that is not escaped.
///
/// Searches quotation marks and counts the backslashes before each of them (an even number means that it is not
/// escaped), because texts contain many escapes such as `\n`, and few escaped quotation marks.
pub(crate) fn escaped_length(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'"', bytes).find(|end| {
        let before = bytes[..*end].iter().rev();
        before.take_while(|byte| **byte == b'\\').count() % 2 == 0
    })
}

/// Returns the offset of the first quotation mark or backslash at or after `start`.
#[inline(always)]
fn find_quote_or_backslash(bytes: &[u8], start: usize) -> Option<usize> {
    /// Number of words to search inline: most strings are shorter than what makes a call of `memchr2` worthwhile.
    const INLINE_WORDS: usize = 3;
    let mut rest = bytes.get(start..)?;
    for _ in 0..INLINE_WORDS {
        let Some((word, behind)) = rest.split_first_chunk::<{ size_of::<Word>() }>() else {
            break;
        };
        if let Some(found) = swar::find_quote_or_backslash(*word) {
            return Some(bytes.len() - rest.len() + found);
        }
        rest = behind;
    }
    let found = memchr::memchr2(b'"', b'\\', rest)?;
    Some(bytes.len() - rest.len() + found)
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
        let mut scanner = Scanner::new(text);
        scanner.object(|scanner, name| {
            members.insert(name.to_owned(), scanner.value()?);
            Some(())
        })?;
        scanner.end()?;
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
        fn scanner_finds_the_members_that_serde_finds(
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
        fn scanner_accepts_every_object_that_serde_accepts(text in "[{}\\[\\]\",:\\\\ a1-]{0,24}") {
            if serde_json::from_str::<HashMap<String, Value>>(&text).is_ok() {
                prop_assert!(members(&text).is_some());
            }
        }
    }

    #[test]
    fn truncated_or_corrupt_text_is_rejected() {
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
