/// Replaces each half of a surrogate pair that stands alone by U+FFFD; `None` when there is none.
///
/// JavaScript strings may hold such halves and its JSON writer escapes them (`\ud83d`), but they are
/// no Unicode and `serde_json` refuses the line. The CLI makes them when it shortens a text.
pub(crate) fn mend(line: &[u8]) -> Option<Vec<u8>> {
    // Most lines have no escape at all, and others none of that kind: JavaScript writes what it can
    // as it is.
    let mut at = memchr::memchr(b'\\', line)?;
    memchr::memmem::find(&line[at..], br"\u")?;
    let mut mended: Option<Vec<u8>> = None;
    while let Some(distance) = line.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        at += distance;
        match code_unit(&line[at..]) {
            Some(0xD800..=0xDBFF)
                if matches!(code_unit(&line[at + UNIT..]), Some(0xDC00..=0xDFFF)) =>
            {
                at += 2 * UNIT;
            }
            Some(0xD800..=0xDFFF) => {
                mended.get_or_insert_with(|| line.to_vec())[at..at + UNIT]
                    .copy_from_slice(b"\\ufffd");
                at += UNIT;
            }
            Some(_) => at += UNIT,
            None => at += 2,
        }
    }
    mended
}

/// The length of an escape `\uXXXX`.
pub(crate) const UNIT: usize = 6;

/// The code unit of such an escape at the start of the bytes.
pub(crate) fn code_unit(bytes: &[u8]) -> Option<u16> {
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
        mend(line.as_bytes()).map(|mended| String::from_utf8(mended).expect("it stays UTF-8"))
    }

    #[test]
    fn halves_are_replaced_where_they_stand() {
        assert_eq!(text(r#""a\ud83d""#).as_deref(), Some(r#""a\ufffd""#));
        assert_eq!(text(r#""\uDE00b""#).as_deref(), Some(r#""\ufffdb""#));
        assert_eq!(
            text(r#""\ud83d\ud83d\ude00""#).as_deref(),
            Some(r#""\ufffd\ud83d\ude00""#)
        );
    }

    #[test]
    fn everything_else_stays() {
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
