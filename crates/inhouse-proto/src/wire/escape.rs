use super::words::special_in;

/// How many bytes are looked at and copied at once.
const CHUNK: usize = 64;

/// Appends a text as a JSON string.
pub(crate) fn write_string(json: &mut Vec<u8>, text: &str) {
    json.reserve(text.len() + 2);
    json.push(b'"');
    write_escaped(json, text.as_bytes());
    json.push(b'"');
}

/// Appends a text, or a part of one, as it stands in a JSON string.
///
/// As `serde_json` does it, but chunk by chunk where that looks at each byte: a long text is most of
/// what its answer costs. A chunk is copied first, without a call, and then taken back from the first
/// byte that has to be escaped.
pub(crate) fn write_escaped(json: &mut Vec<u8>, text: &[u8]) {
    let mut rest = text;
    while let Some((chunk, behind)) = rest.split_first_chunk::<CHUNK>() {
        let before = json.len();
        json.extend_from_slice(chunk);
        if !has_special(chunk) {
            rest = behind;
            continue;
        }
        let plain = plain_length(chunk);
        json.truncate(before + plain);
        rest = &rest[plain..];
        if let Some((special, behind)) = rest.split_first() {
            write_escape(json, *special);
            rest = behind;
        }
    }
    loop {
        let plain = plain_length(rest);
        json.extend_from_slice(&rest[..plain]);
        let Some((special, behind)) = rest[plain..].split_first() else {
            return;
        };
        write_escape(json, *special);
        rest = behind;
    }
}

/// How many bytes [`write_escaped`] appends.
pub(crate) fn escaped_size(text: &[u8]) -> usize {
    let count = |is_one: fn(u8) -> bool| text.iter().filter(|byte| is_one(**byte)).count();
    let is_long = |byte| byte < b' ' && !matches!(byte, b'\n' | b'\r' | b'\t' | 0x08 | 0x0c);
    text.len() + count(is_special) + 4 * count(is_long)
}

/// Whether something has to be escaped.
fn has_special(chunk: &[u8; CHUNK]) -> bool {
    // All of them and not `any`, which would look at them one by one.
    chunk
        .iter()
        .fold(false, |found, byte| found | is_special(*byte))
}

/// How many bytes come before the first that has to be escaped.
fn plain_length(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks();
    for (at, word) in words.iter().enumerate() {
        if let Some(found) = special_in(*word) {
            return at * word.len() + found;
        }
    }
    let plain = rest.iter().take_while(|byte| !is_special(**byte)).count();
    bytes.len() - rest.len() + plain
}

const fn is_special(byte: u8) -> bool {
    (byte < b' ') | (byte == b'"') | (byte == b'\\')
}

fn write_escape(json: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        _ => return write_long_escape(json, byte),
    };
    json.extend_from_slice(&[b'\\', short]);
}

#[cold]
fn write_long_escape(json: &mut Vec<u8>, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let [high, low] = [byte >> 4, byte & 0xf].map(|digit| DIGITS[usize::from(digit)]);
    json.extend_from_slice(&[b'\\', b'u', b'0', b'0', high, low]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_writes_what_serde_writes(text in "[\"\\\\/\u{0}-\u{7f}\u{80}\u{a0}é😀\u{2028}]{0,300}") {
            let mut json = b"before".to_vec();
            write_string(&mut json, &text);
            prop_assert_eq!(json.len(), "before\"\"".len() + escaped_size(text.as_bytes()));
            let expected = format!("before{}", serde_json::to_string(&text).expect("a string"));
            prop_assert_eq!(String::from_utf8(json).expect("text"), expected);
        }
    }

    #[test]
    fn every_byte_is_escaped_at_every_place() {
        for character in '\0'..='\u{ff}' {
            for at in (0..20).chain(56..72) {
                let mut text = "x".repeat(at);
                text.push(character);
                text.push_str(&"0123456789".repeat(9));
                let mut json = Vec::new();
                write_string(&mut json, &text);
                let expected = serde_json::to_vec(&text).expect("a string");
                assert_eq!(json, expected, "{character:?} at {at}");
            }
        }
    }
}
