use std::borrow::Cow;

use serde::de::DeserializeOwned;

/// Parses JSON text of the CLI, in which a lone surrogate (`\ud83d`) stands for U+FFFD.
///
/// Most texts have no lone surrogate, so they are replaced only after `serde_json` has rejected the text.
///
/// # Errors
/// If the text is not valid JSON, or does not have the shape of `T`.
pub fn parse_json<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_str(text).or_else(|error| match replace_lone_surrogates(text) {
        Cow::Owned(replaced) => serde_json::from_str(&replaced),
        Cow::Borrowed(_) => Err(error),
    })
}

/// Replaces each lone surrogate escape (`\ud83d`) with that of U+FFFD, which has the same length.
///
/// JavaScript strings may contain lone surrogates, and `JSON.stringify` escapes them. They are not valid Unicode, so
/// `serde_json` rejects them. The CLI writes them when it shortens a text in the middle of an emoji.
pub fn replace_lone_surrogates(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut replaced = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(distance) = bytes.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        at += distance;
        at += match code_unit(&bytes[at..]) {
            // A surrogate pair is valid.
            Some(0xD800..=0xDBFF)
                if matches!(code_unit(&bytes[at + UNIT..]), Some(0xDC00..=0xDFFF)) =>
            {
                2 * UNIT
            }
            Some(0xD800..=0xDFFF) => {
                replaced.push_str(&text[copied..at]);
                replaced.push_str("\\ufffd");
                copied = at + UNIT;
                UNIT
            }
            Some(_) => UNIT,
            // A short escape. Skip its second byte, so that `\\ud83d` is not read as a surrogate.
            None => 2,
        };
    }
    match copied {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(replaced + &text[copied..]),
    }
}

/// Length of an escape `\uXXXX` in bytes.
const UNIT: usize = 6;

/// Returns the code unit of the escape `\uXXXX` at the start of the bytes; `None` if there is no such escape.
fn code_unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.get(..UNIT)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |unit, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        Some(unit << 4 | u16::try_from(digit).ok()?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_are_replaced_in_place() {
        for (text, replaced) in [
            (r#""a\ud83d""#, r#""a\ufffd""#),
            (r#""\uDE00b""#, r#""\ufffdb""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
        ] {
            assert_eq!(replace_lone_surrogates(text), replaced);
        }
    }

    #[test]
    fn text_without_lone_surrogates_is_unchanged() {
        for line in [
            r#""\ud83d\ude00""#,
            r#""\\ud83d""#,
            r#""\u0041\n\"""#,
            "",
            "\\",
            "\\u12",
        ] {
            let replaced = replace_lone_surrogates(line);
            assert!(
                matches!(replaced, Cow::Borrowed(text) if text == line),
                "{line}"
            );
        }
    }
}
