use std::ops::Range;

const BEGIN: &str = "-----BEGIN ";
const KEY: &str = "PRIVATE KEY";
const END: &str = "-----END ";
const DASHES: &str = "-----";

/// The longest text between `-----BEGIN ` and `PRIVATE KEY`.
const MAX_KIND: usize = 24;

/// Returns the next private key in a text, and whether its end is in the text.
///
/// A key without an end reaches to the end of the text.
pub(super) fn find(text: &str, from: usize) -> Option<(Range<usize>, bool)> {
    let mut at = from;
    while let Some(begin) = text[at..].find(BEGIN).map(|offset| at + offset) {
        let kind = begin + BEGIN.len();
        if !begins_key(&text[kind..]) {
            at = kind;
            continue;
        }
        let end = text[kind..].find(END).and_then(|offset| {
            let end = kind + offset + END.len();
            let dashes = text[end..].find(DASHES)?;
            Some(end + dashes + DASHES.len())
        });
        return Some((begin..end.unwrap_or(text.len()), end.is_some()));
    }
    None
}

/// Returns whether a private key begins in a text and does not end there.
pub(super) fn is_open(text: &str) -> bool {
    let mut at = 0;
    while let Some((key, is_complete)) = find(text, at) {
        if !is_complete {
            return true;
        }
        at = key.end;
    }
    false
}

/// Returns where the last text begins that may become a private key, if more text follows.
pub(super) fn unsettled(text: &str) -> usize {
    let mut at = 0;
    while let Some((key, true)) = find(text, at) {
        at = key.end;
    }
    if let Some((key, false)) = find(text, at) {
        return key.start;
    }
    if let Some(begin) = text[at..].rfind(BEGIN).map(|offset| at + offset)
        && text.len() - begin < BEGIN.len() + MAX_KIND + KEY.len()
    {
        return begin;
    }
    let partial = (1..BEGIN.len())
        .rev()
        .find(|length| text.ends_with(&BEGIN[..*length]));
    text.len() - partial.unwrap_or(0)
}

/// Returns whether a text begins with the rest of the first line of a private key.
fn begins_key(text: &str) -> bool {
    // Only the start is searched: a text may have many certificates.
    let start = &text.as_bytes()[..text.len().min(MAX_KIND + KEY.len())];
    let found = start
        .windows(KEY.len())
        .position(|part| part == KEY.as_bytes());
    found.is_some_and(|at| {
        let mut kind = start[..at].iter();
        kind.all(|byte| byte.is_ascii_uppercase() || *byte == b' ')
    })
}
