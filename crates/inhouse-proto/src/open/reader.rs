use std::borrow::Cow;

use serde::de::DeserializeOwned;

use super::Open;
use super::unescape::{plain_length, unescape};
use crate::wire::{Skim, escaped_length};

/// How deep objects and lists may be nested, as in `serde_json`. Values that serde reads count anew.
const DEPTH: u8 = 128;

/// Goes through JSON text once and types it on the way.
///
/// The fast way to decode: nothing is kept that has no place in the type, and every surprise ends
/// it. All methods return `None` then, also when the text is no JSON at all: the patient way finds
/// out which of the two it is.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'a> {
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
        let value = self.value()?;
        self.end()?;
        Some(value)
    }

    /// The value that comes next.
    #[inline]
    pub(crate) fn value<T: Open>(&mut self) -> Option<T> {
        let mut value = T::blank();
        value.fill(self)?;
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
        let mut more = self.begin(b'{', b'}')?;
        while more {
            let name = self.plain()?;
            self.pass(b':')?;
            member(self, name)?;
            more = self.another(b'}')?;
        }
        Some(())
    }

    /// Goes through a list; `item` reads each of its items.
    #[inline]
    pub(crate) fn list(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        let mut more = self.begin(b'[', b']')?;
        while more {
            item(self)?;
            more = self.another(b']')?;
        }
        Some(())
    }

    /// Goes past the start of an object or list; tells whether there is anything in it.
    #[inline]
    pub(crate) fn begin(&mut self, open: u8, close: u8) -> Option<bool> {
        self.depth += 1;
        (self.depth < DEPTH).then_some(())?;
        self.pass(open)?;
        if self.peek()? != close {
            return Some(true);
        }
        self.leave();
        Some(false)
    }

    /// Goes past what follows a member or an item; tells whether there is another one.
    #[inline]
    pub(crate) fn another(&mut self, close: u8) -> Option<bool> {
        match self.peek()? {
            b',' => {
                self.at += 1;
                // `keyed` does not look behind blanks.
                self.peek()?;
                Some(true)
            }
            end if end == close => {
                self.leave();
                Some(false)
            }
            _ => None,
        }
    }

    /// Goes past the name of a member and its colon, if they are this key: both as the CLI writes
    /// them, `"name":`.
    ///
    /// To compare with the name that is likely to come next costs far less than to find its end, and
    /// then its place among the names of a type.
    #[inline]
    pub(crate) fn keyed(&mut self, key: &str) -> bool {
        let found = self.text.as_bytes()[self.at..].starts_with(key.as_bytes());
        if found {
            self.at += key.len();
        }
        found
    }

    /// Goes past the name of a member that no [key](Self::keyed) fits. A blank before its colon is a
    /// surprise: without it, a key might fit.
    pub(crate) fn other_name(&mut self) -> Option<&'a str> {
        let name = self.plain()?;
        self.literal(":")?;
        Some(name)
    }

    /// How far it has come.
    #[inline]
    pub(crate) fn place(&self) -> usize {
        self.at
    }

    /// The text in a member of the object that comes next, which is not passed.
    ///
    /// Should the object have that member twice, the first one is found: whoever reads the object
    /// has to compare it with [`constant`](Self::constant).
    pub(crate) fn tag(&self, tag: &str) -> Option<&'a str> {
        let mut ahead = self.clone();
        if ahead.begin(b'{', b'}')? && ahead.quoted(tag) && ahead.literal(":").is_some() {
            return ahead.plain();
        }
        ahead = self.clone();
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
    #[inline]
    pub(crate) fn constant(&mut self, expected: &str) -> Option<()> {
        self.peek()?;
        self.quoted(expected).then_some(())
    }

    /// Goes past a string if it is this one, and tells whether it is.
    #[inline]
    fn quoted(&mut self, text: &str) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        let found = rest.first() == Some(&b'"')
            && rest[1..].starts_with(text.as_bytes())
            && rest.get(text.len() + 1) == Some(&b'"');
        if found {
            self.at += text.len() + 2;
        }
        found
    }

    /// A string.
    #[inline]
    pub(crate) fn text(&mut self) -> Option<Cow<'a, str>> {
        let (start, plain) = self.plain_start()?;
        match self.text.as_bytes().get(start + plain)? {
            b'"' => self.end_string(start, plain).map(Cow::Borrowed),
            _ => self.escaped(start, plain).map(Cow::Owned),
        }
    }

    /// A string without escapes; nothing is passed when it is none.
    #[inline]
    fn plain(&mut self) -> Option<&'a str> {
        let (start, plain) = self.plain_start()?;
        match self.text.as_bytes().get(start + plain)? {
            b'"' => self.end_string(start, plain),
            _ => None,
        }
    }

    /// Where a string starts, and how many of its bytes stand for themselves; nothing is passed.
    #[inline]
    fn plain_start(&mut self) -> Option<(usize, usize)> {
        if self.peek()? != b'"' {
            return None;
        }
        let start = self.at + 1;
        Some((start, plain_length(&self.text.as_bytes()[start..])))
    }

    /// Goes past a string of this length.
    #[inline]
    fn end_string(&mut self, start: usize, length: usize) -> Option<&'a str> {
        self.at = start + length + 1;
        self.text.get(start..start + length)
    }

    #[inline(never)]
    fn escaped(&mut self, start: usize, plain: usize) -> Option<String> {
        let rest = &self.text[start..];
        let length = plain + escaped_length(&rest.as_bytes()[plain..])?;
        let text = unescape(&rest[..length], plain)?;
        self.end_string(start, length)?;
        Some(text)
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

    #[inline]
    fn leave(&mut self) {
        self.depth -= 1;
        self.at += 1;
    }

    #[inline]
    fn pass(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }
}
