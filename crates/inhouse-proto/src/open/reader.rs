use std::borrow::Cow;

use serde::de::DeserializeOwned;

use super::Open;
use super::unescape::{escaped_length, plain_length, unescape};
use crate::wire::Skim;

/// How deep objects and lists may be nested, as in `serde_json`.
const DEPTH: u8 = 128;

/// Goes through JSON text once and types it on the way.
///
/// The fast way to decode: nothing is kept that has no place in the type, and every surprise ends
/// it. All methods return `None` then, also when the text is no JSON at all: the patient way finds
/// out which of the two it is.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: u8,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
        }
    }

    /// The value that is all of the text.
    pub(crate) fn whole<T: Open>(mut self) -> Option<T> {
        let value = T::read(&mut self)?;
        self.end()?;
        Some(value)
    }

    /// Checks that nothing but blanks follows.
    pub(crate) fn end(mut self) -> Option<()> {
        self.peek().is_none().then_some(())
    }

    /// The next byte that is not blank, which is not passed.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        match *self.text.as_bytes().get(self.at)? {
            byte if byte > b' ' => Some(byte),
            _ => self.peek_past_blanks(),
        }
    }

    /// The CLI writes none.
    #[cold]
    fn peek_past_blanks(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        self.at += rest.iter().take_while(|byte| blank(byte)).count();
        self.text.as_bytes().get(self.at).copied()
    }

    /// Goes through the members of an object. For each, `member` gets the name, and reads the value.
    ///
    /// Names with escapes are surprises, and tags too.
    #[inline]
    pub(crate) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &'a str) -> Option<()>,
    ) -> Option<()> {
        self.enter(b'{')?;
        if self.peek()? == b'}' {
            return self.leave();
        }
        loop {
            let name = self.plain()?;
            self.pass(b':')?;
            member(self, name)?;
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => return self.leave(),
                _ => return None,
            }
        }
    }

    /// Goes through a list; `item` reads each of its items.
    #[inline]
    pub(crate) fn list(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.enter(b'[')?;
        if self.peek()? == b']' {
            return self.leave();
        }
        loop {
            item(self)?;
            match self.peek()? {
                b',' => self.at += 1,
                b']' => return self.leave(),
                _ => return None,
            }
        }
    }

    /// The text in a member of the object that comes next, which is not passed.
    ///
    /// Should the object have that member twice, the first one is found: whoever reads the object
    /// has to compare it with [`constant`](Self::constant).
    pub(crate) fn tag(&self, tag: &str) -> Option<&'a str> {
        let mut ahead = self.clone();
        let mut found = None;
        // It ends early, by `None`, where the tag is found.
        ahead.object(|ahead, name| {
            if name == tag {
                found = ahead.plain();
                return None;
            }
            ahead.skip()
        });
        found
    }

    /// Goes past a string that must be this one.
    pub(crate) fn constant(&mut self, expected: &str) -> Option<()> {
        (self.plain()? == expected).then_some(())
    }

    /// A string.
    pub(crate) fn text(&mut self) -> Option<Cow<'a, str>> {
        match self.plain() {
            Some(text) => Some(Cow::Borrowed(text)),
            None => self.escaped().map(Cow::Owned),
        }
    }

    /// A string without escapes; nothing is passed when it is none.
    fn plain(&mut self) -> Option<&'a str> {
        if self.peek()? != b'"' {
            return None;
        }
        let start = self.at + 1;
        let end = start + plain_length(self.text.as_bytes().get(start..)?);
        if *self.text.as_bytes().get(end)? != b'"' {
            return None;
        }
        self.at = end + 1;
        self.text.get(start..end)
    }

    #[inline(never)]
    fn escaped(&mut self) -> Option<String> {
        if self.peek()? != b'"' {
            return None;
        }
        let rest = &self.text[self.at + 1..];
        let end = escaped_length(rest.as_bytes())?;
        self.at += end + 2;
        unescape(&rest[..end])
    }

    /// A whole number.
    pub(crate) fn unsigned(&mut self) -> Option<u64> {
        let first = self.peek()?;
        let start = self.at;
        let mut number = 0_u64;
        while let Some(digit @ b'0'..=b'9') = self.text.as_bytes().get(self.at) {
            number = number
                .checked_mul(10)?
                .checked_add(u64::from(digit - b'0'))?;
            self.at += 1;
        }
        match self.at - start {
            0 => None,
            1 => Some(number),
            _ => (first != b'0').then_some(number),
        }
    }

    pub(crate) fn boolean(&mut self) -> Option<bool> {
        match self.peek()? {
            b't' => self.literal("true").map(|()| true),
            _ => self.literal("false").map(|()| false),
        }
    }

    /// Goes past `null` if it comes next, and tells whether it did.
    #[inline]
    pub(crate) fn null(&mut self) -> Option<bool> {
        match self.peek()? {
            b'n' => self.literal("null").map(|()| true),
            _ => Some(false),
        }
    }

    /// Any value, as serde reads it.
    pub(crate) fn parse<T: DeserializeOwned>(&mut self) -> Option<T> {
        let rest = &self.text[self.at..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter();
        let value = values.next()?.ok()?;
        self.at += values.byte_offset();
        Some(value)
    }

    fn skip(&mut self) -> Option<()> {
        self.peek()?;
        let value = Skim::new(&self.text[self.at..]).value()?;
        self.at += value.len();
        Some(())
    }

    fn literal(&mut self, literal: &str) -> Option<()> {
        self.text.as_bytes()[self.at..]
            .starts_with(literal.as_bytes())
            .then(|| self.at += literal.len())
    }

    fn enter(&mut self, bracket: u8) -> Option<()> {
        self.depth += 1;
        (self.depth < DEPTH).then_some(())?;
        self.pass(bracket)
    }

    fn leave(&mut self) -> Option<()> {
        self.depth -= 1;
        self.at += 1;
        Some(())
    }

    fn pass(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }
}
