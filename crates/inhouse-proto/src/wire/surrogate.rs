/// Replaces each lone surrogate escape (`\ud83d`) with U+FFFD; `None` if there is none.
///
/// JavaScript strings may contain lone surrogates, and `JSON.stringify` escapes them. They are not valid Unicode, so
/// `serde_json` rejects them. The CLI writes them when it shortens a text in the middle of an emoji.
pub(crate) fn replace_lone_surrogates(text: &str) -> Option<String> {
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
    (copied > 0).then(|| replaced + &text[copied..])
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

    fn text(line: &str) -> Option<String> {
        replace_lone_surrogates(line)
    }

    #[test]
    fn lone_surrogates_are_replaced_in_place() {
        assert_eq!(text(r#""a\ud83d""#).as_deref(), Some(r#""a\ufffd""#));
        assert_eq!(text(r#""\uDE00b""#).as_deref(), Some(r#""\ufffdb""#));
        assert_eq!(
            text(r#""\ud83d\ud83d\ude00""#).as_deref(),
            Some(r#""\ufffd\ud83d\ude00""#)
        );
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
            assert_eq!(text(line), None, "{line}");
        }
    }
}
