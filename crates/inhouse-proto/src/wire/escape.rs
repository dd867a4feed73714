use super::words::special_in;

/// Appends a text as a JSON string.
///
/// As `serde_json` does it, word by word where that looks at each byte: a long text is most of what
/// its answer costs.
pub(crate) fn write_string(json: &mut Vec<u8>, text: &str) {
    let mut rest = text.as_bytes();
    json.reserve(rest.len() + 2);
    json.push(b'"');
    while let Some(plain) = plain_length(rest) {
        json.extend_from_slice(&rest[..plain]);
        write_escape(json, rest[plain]);
        rest = &rest[plain + 1..];
    }
    json.extend_from_slice(rest);
    json.push(b'"');
}

/// How many bytes come before the first that has to be escaped; `None` when there is none.
fn plain_length(bytes: &[u8]) -> Option<usize> {
    let (words, rest) = bytes.as_chunks();
    for (at, word) in words.iter().enumerate() {
        if let Some(found) = special_in(*word) {
            return Some(at * word.len() + found);
        }
    }
    let is_special = |byte: &u8| matches!(byte, 0..0x20 | b'"' | b'\\');
    let at = rest.iter().position(is_special)?;
    Some(bytes.len() - rest.len() + at)
}

fn write_escape(json: &mut Vec<u8>, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            let (high, low) = (byte >> 4, byte & 0xf);
            json.extend_from_slice(b"\\u00");
            return json.extend([high, low].map(|digit| DIGITS[usize::from(digit)]));
        }
    };
    json.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_writes_what_serde_writes(text in "[\"\\\\/\u{0}-\u{7f}\u{80}\u{a0}é😀\u{2028}]{0,80}") {
            let mut json = b"before".to_vec();
            write_string(&mut json, &text);
            let expected = format!("before{}", serde_json::to_string(&text).expect("a string"));
            prop_assert_eq!(String::from_utf8(json).expect("text"), expected);
        }
    }

    #[test]
    fn every_byte_is_escaped_at_every_place() {
        for character in '\0'..='\u{ff}' {
            for at in 0..20 {
                let mut text = "x".repeat(at);
                text.push(character);
                text.push_str("0123456789");
                let mut json = Vec::new();
                write_string(&mut json, &text);
                let expected = serde_json::to_vec(&text).expect("a string");
                assert_eq!(json, expected, "{character:?} at {at}");
            }
        }
    }
}
