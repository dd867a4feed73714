use std::ops::Range;

use super::pattern::{MIN_MEMBER, closing_quote, normalized};

/// Names of headers with credentials, in lower case and without `_` and `-`. Members of JSON objects with these names are secret, too.
pub(super) const NAMES: [&str; 5] = [
    "authorization",
    "proxyauthorization",
    "cookie",
    "setcookie",
    "xapikey",
];

/// Schemes of `Authorization` that are kept.
const SCHEMES: [&str; 2] = ["bearer", "basic"];

/// The value of an HTTP header in a text.
pub(super) struct Header {
    /// Where the name begins.
    pub(super) name: usize,
    pub(super) range: Range<usize>,
    pub(super) is_secret: bool,
    /// Whether the value may continue behind the text.
    pub(super) is_open: bool,
    /// Whether the header is in quotes, as in `curl -H 'Cookie: …'`. It ends with them then.
    pub(super) is_quoted: bool,
}

/// Returns the header with credentials whose name ends at `colon`; `None` if there is none, or if its line ends with the colon.
///
/// `searched` is the end of the line of the last header. It is that of a header in this line, too, and is not searched for again.
pub(super) fn header_at(text: &str, colon: usize, searched: usize) -> Option<Header> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let name = text[..colon].trim_end_matches(is_name).len();
    if !NAMES.contains(&normalized(&text[name..colon]).as_str()) {
        return None;
    }
    let bytes = text.as_bytes();
    let mut start = skip_spaces(bytes, colon + 1);
    let quote = match bytes[..name].last() {
        Some(quote @ (b'"' | b'\'' | b'`')) => Some(*quote),
        _ => None,
    };
    let end = match quote {
        Some(quote) => {
            let before = bytes[..name - 1].iter().rev();
            let escapes = before.take_while(|byte| **byte == b'\\').count();
            closing_quote(bytes, start, quote, escapes, false).map(|(end, _)| end)
        }
        None if colon < searched => Some(searched),
        None => line_end(bytes, start),
    };
    if end == Some(start) {
        return None;
    }
    let is_open = end.is_none();
    let end = end.unwrap_or(text.len());
    for scheme in SCHEMES {
        let behind = start + scheme.len();
        if text[start..end]
            .get(..scheme.len())
            .is_some_and(|word| word.eq_ignore_ascii_case(scheme))
        {
            let credentials = skip_spaces(&bytes[..end], behind);
            start = if credentials > behind {
                credentials
            } else {
                start
            };
        }
    }
    Some(Header {
        name,
        is_secret: end - start >= MIN_MEMBER,
        range: start..end,
        is_open,
        is_quoted: quote.is_some(),
    })
}

/// Returns the end of the line, or of the JSON string in which it is; `None` if it is behind the text.
///
/// The same for every start in the line, because a text may be cut before any name.
fn line_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        match bytes.get(at)? {
            b'\n' | b'\r' => return Some(at),
            // Two backslashes are those of a quoted text, such as `Digest username="domain\\name"`.
            b'\\' if bytes[at - 1] != b'\\' && matches!(bytes.get(at + 1)?, b'n' | b'r') => {
                return Some(at);
            }
            b'"' if ends_string(&bytes[at + 1..])? => {
                let before = bytes[..at].iter().rev();
                return Some(at - before.take_while(|byte| **byte == b'\\').count());
            }
            _ => at += 1,
        }
    }
}

/// Returns whether the quotation mark before a text ends a JSON string, and not a quoted parameter; `None` if the text is too short.
fn ends_string(behind: &[u8]) -> Option<bool> {
    let mut rest = behind
        .iter()
        .filter(|byte| !byte.is_ascii_whitespace() && **byte != b'\\');
    match behind.first()? {
        b'}' | b']' => Some(true),
        b',' => Some(*rest.nth(1)? == b'"'),
        _ => Some(false),
    }
}

fn skip_spaces(bytes: &[u8], at: usize) -> usize {
    let spaces = bytes[at..].iter();
    at + spaces
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}
