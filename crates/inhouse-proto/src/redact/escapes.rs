use std::borrow::Cow;

/// How often the escapes of a text are decoded: for JSON in a string, in a string of which there is JSON.
pub(super) const DEPTH: usize = 3;

/// A text whose JSON escapes were decoded, with the place of each of its bytes in the original text.
struct View<'a> {
    text: Cow<'a, str>,
    /// The offset of each byte, and of the end; `None` if the text is the original one.
    offsets: Option<Vec<u32>>,
    /// Where an escape begins that the text does not end.
    unfinished: Option<usize>,
}

/// Calls `visit` with the text, and with the text whose escapes are decoded once, twice and so on. The second argument
/// translates an offset in the visited text to one in `text`. Returns where an unfinished escape begins, or the length
/// of the text.
pub(super) fn for_each_view(
    text: &str,
    mut visit: impl FnMut(&str, &dyn Fn(usize) -> usize),
) -> usize {
    let mut view = View {
        text: Cow::Borrowed(text),
        offsets: None,
        unfinished: None,
    };
    let mut end = text.len();
    for depth in 0..=DEPTH {
        visit(&view.text, &|at| view.original(at));
        if depth == DEPTH || !view.text.contains('\\') {
            break;
        }
        view = view.decoded();
        end = end.min(view.unfinished.unwrap_or(end));
    }
    end
}

/// Appends a text to `out` with its JSON escapes decoded.
pub(super) fn decode_into(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        let (character, length) = match escape(&rest[at..]) {
            Escape::Character(character, length) => (character, length),
            Escape::None | Escape::Unfinished => ('\\', 1),
        };
        let mut buffer = [0; 4];
        out.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
        rest = &rest[at + length..];
    }
    out.extend_from_slice(rest);
}

impl View<'_> {
    fn original(&self, at: usize) -> usize {
        match &self.offsets {
            Some(offsets) => offsets[at] as usize,
            None => at,
        }
    }

    fn decoded(&self) -> View<'static> {
        let mut text = String::with_capacity(self.text.len());
        let mut offsets = Vec::with_capacity(self.text.len() + 1);
        let mut unfinished = None;
        let mut at = 0;
        while let Some(next) = self.text[at..].chars().next() {
            let (character, length) = match escape(&self.text.as_bytes()[at..]) {
                Escape::Character(character, length) => (character, length),
                Escape::None => (next, next.len_utf8()),
                Escape::Unfinished => {
                    unfinished.get_or_insert(self.original(at));
                    (next, next.len_utf8())
                }
            };
            text.push(character);
            let offset = u32::try_from(self.original(at)).unwrap_or(u32::MAX);
            offsets.resize(text.len(), offset);
            at += length;
        }
        offsets.push(u32::try_from(self.original(at)).unwrap_or(u32::MAX));
        View {
            text: Cow::Owned(text),
            offsets: Some(offsets),
            unfinished: unfinished.or(self.unfinished),
        }
    }
}

enum Escape {
    /// The character and the length of its escape.
    Character(char, usize),
    None,
    /// The text ends inside of what may be an escape.
    Unfinished,
}

/// Reads the escape at the start of a text.
fn escape(text: &[u8]) -> Escape {
    let character = match text {
        [b'\\'] => return Escape::Unfinished,
        [b'\\', b'u', ..] => return unicode_escape(text),
        [b'\\', simple, ..] => match simple {
            b'"' | b'\\' | b'/' => char::from(*simple),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            _ => return Escape::None,
        },
        _ => return Escape::None,
    };
    Escape::Character(character, 2)
}

fn unicode_escape(text: &[u8]) -> Escape {
    let first = match code_unit(text) {
        Ok(first) => first,
        Err(escape) => return escape,
    };
    if !(0xD800..0xDC00).contains(&first) {
        let character = char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER);
        return Escape::Character(character, 6);
    }
    match text.get(6..) {
        Some([] | [b'\\']) => return Escape::Unfinished,
        Some([b'\\', b'u', ..]) => {}
        _ => return Escape::Character(char::REPLACEMENT_CHARACTER, 6),
    }
    match code_unit(&text[6..]) {
        Ok(second @ 0xDC00..0xE000) => {
            let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
            Escape::Character(character, 12)
        }
        Err(Escape::Unfinished) => Escape::Unfinished,
        _ => Escape::Character(char::REPLACEMENT_CHARACTER, 6),
    }
}

/// Reads the four digits of `\uXXXX`.
fn code_unit(text: &[u8]) -> Result<u32, Escape> {
    let digits = &text[2..text.len().min(6)];
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return Err(Escape::None);
    }
    if digits.len() < 4 {
        return Err(Escape::Unfinished);
    }
    let digit = |byte: &u8| char::from(*byte).to_digit(16).unwrap_or_default();
    Ok(digits.iter().fold(0, |code, byte| code << 4 | digit(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn views(text: &str) -> (Vec<String>, usize) {
        let mut views = Vec::new();
        let end = for_each_view(text, |view, _| views.push(view.to_owned()));
        (views, end)
    }

    #[test]
    fn escapes_are_decoded_once_twice_and_three_times() {
        let (seen, end) = views(r#"a\\\\n\u00e9\ud83d\ude00\/\x"#);
        assert_eq!(seen[1], "a\\\\né😀/\\x");
        assert_eq!(seen[2], "a\\né😀/\\x");
        assert_eq!(seen[3], "a\né😀/\\x");
        assert_eq!(
            (seen.len(), end),
            (4, r#"a\\\\n\u00e9\ud83d\ude00\/\x"#.len())
        );
        assert_eq!(views("plain").0, ["plain"]);
    }

    #[test]
    fn offsets_lead_back_to_the_escape() {
        let text = r#"x\u00e9\ny"#;
        for_each_view(text, |view, original| {
            if view == "xé\ny" {
                let places: Vec<usize> = (0..=view.len()).map(original).collect();
                assert_eq!(places, [0, 1, 1, 7, 9, 10]);
            }
        });
    }

    #[test]
    fn unfinished_escape_is_reported_where_it_begins() {
        for (text, begin) in [
            ("ab\\", 2),
            ("ab\\u", 2),
            ("ab\\u00e", 2),
            ("ab\\ud83d", 2),
            ("ab\\ud83d\\u12", 2),
        ] {
            assert_eq!(views(text).1, begin, "{text}");
        }
        // Decoded once, this ends with a backslash.
        assert_eq!(views(r"ab\\").1, 2);
    }

    #[test]
    fn flat_decoding_gives_the_first_view() {
        for text in [r#"a\"b\\c\n"#, "no escape", r"\ud83d\ude00\u00", "\\"] {
            let mut flat = Vec::new();
            decode_into(text.as_bytes(), &mut flat);
            let mut first = None;
            for_each_view(text, |view, _| {
                if text.contains('\\') && first.is_none() && view != text {
                    first = Some(view.to_owned());
                }
            });
            assert_eq!(
                String::from_utf8(flat).unwrap(),
                first.unwrap_or_else(|| text.to_owned())
            );
        }
    }
}
