use crate::wire::{UNIT, code_unit, special_in};

/// How many bytes of a string stand for themselves, up to its end or whatever else comes first.
#[inline]
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    /// Most strings are shorter than a call of a vectorised search is worth.
    const NEAR: usize = 8;
    let mut length = 0;
    for word in bytes.as_chunks().0.iter().take(NEAR) {
        if let Some(found) = special_in(*word) {
            return length + found;
        }
        length += word.len();
    }
    length + far_length(&bytes[length..])
}

/// The same for a text that may be long. Should it have controls, none of it is taken to be plain.
#[inline(never)]
fn far_length(bytes: &[u8]) -> usize {
    let end = memchr::memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len());
    match has_controls(&bytes[..end]) {
        true => 0,
        false => end,
    }
}

/// Whether there are characters that JSON wants to be escaped.
fn has_controls(bytes: &[u8]) -> bool {
    // All of them and not `any`, which would look at them one by one.
    bytes
        .iter()
        .fold(false, |found, byte| found | (*byte < FIRST_PRINTABLE))
}

/// The text of a string, without its quotation marks; `None` when it cannot be one. The first bytes,
/// `plain` of them, are known to stand for themselves.
///
/// Half a surrogate pair becomes U+FFFD.
pub(super) fn unescape(mut rest: &str, mut plain: usize) -> Option<String> {
    /// From how many bytes on it pays to look for controls first, and then for escapes only.
    const LONG: usize = 1024;
    let is_long = rest.len() >= LONG;
    if is_long && has_controls(rest.as_bytes()) {
        return None;
    }
    let mut text = String::with_capacity(rest.len());
    loop {
        let (same, others) = rest.split_at_checked(plain)?;
        text.push_str(same);
        rest = others;
        if rest.is_empty() {
            return Some(text);
        }
        let (character, length) = escape(rest.as_bytes())?;
        text.push(character);
        rest = &rest[length..];
        plain = match is_long {
            true => memchr::memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len()),
            false => plain_length(rest.as_bytes()),
        };
    }
}

const FIRST_PRINTABLE: u8 = b' ';

/// The escape at the start of the bytes: its character and its length.
fn escape(bytes: &[u8]) -> Option<(char, usize)> {
    if bytes[0] != b'\\' {
        return None;
    }
    let character = match bytes.get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'u' => return long_escape(bytes),
        same @ (b'"' | b'\\' | b'/') => char::from(*same),
        _ => return None,
    };
    Some((character, 2))
}

fn long_escape(bytes: &[u8]) -> Option<(char, usize)> {
    let first = code_unit(bytes)?;
    let second = || code_unit(bytes.get(UNIT..)?);
    let units = match first {
        0xD800..=0xDBFF => [Some(first), second()],
        _ => [Some(first), None],
    };
    let character = char::decode_utf16(units.into_iter().flatten()).next()?;
    Some(match character {
        Ok(character) => (character, UNIT * character.len_utf16()),
        Err(_) => (char::REPLACEMENT_CHARACTER, UNIT),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::open::Reader;
    use crate::wire::mend;

    /// What serde makes of it, once halves of surrogate pairs are mended.
    fn expected(json: &str) -> Option<String> {
        let mended = mend(json.as_bytes());
        serde_json::from_slice(mended.as_deref().unwrap_or(json.as_bytes())).ok()
    }

    proptest! {
        #[test]
        fn it_reads_what_serde_reads(
            inner in "([a-z é😀]{0,80}|\\\\[\"\\\\/bfnrtux]|\\\\u[dD][8-9c-dA-F][0-9a-f]{1,2}|[\u{0}-\u{20}\"\u{7f}]){0,6}",
        ) {
            let json = format!("\"{inner}\"");
            prop_assert_eq!(Reader::new(&json).whole::<String>(), expected(&json));
        }
    }

    #[test]
    fn long_texts_are_read_like_short_ones() {
        for length in [0, 1, 7, 8, 63, 64, 65, 200, 2000] {
            let plain = "x".repeat(length);
            for inner in [
                plain.clone(),
                format!("{plain}\\n"),
                format!("{plain}\\ud83d"),
                format!("{plain}\n"),
                format!("{plain}\n\\n"),
                format!("{plain}é\\u00e9{plain}"),
                format!("{plain}{}\n", "é".repeat(40)),
                format!("{plain}{}\\n", "é".repeat(40)),
            ] {
                let json = format!("\"{inner}\"");
                assert_eq!(
                    Reader::new(&json).whole::<String>(),
                    expected(&json),
                    "{json}"
                );
            }
        }
    }
}
