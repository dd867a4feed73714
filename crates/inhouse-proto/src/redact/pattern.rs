use std::borrow::Cow;
use std::ops::Range;

use super::header::{self, header_at};
use super::{private_key, url};

/// The prefixes of keys and tokens of well-known issuers.
const PREFIXES: [&str; 24] = [
    "sk-ant-",
    "sk-proj-",
    "sk_live_",
    "rk_live_",
    "whsec_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xoxs-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "npm_",
    "pypi-",
    "dop_v1_",
];

/// Begins each of the first two parts of a JSON web token.
const WEB_TOKEN: &str = "eyJ";

/// The last parts of names of secrets, in lower case and without `_` and `-`.
const NAMES: [&str; 8] = [
    "apikey",
    "accesskey",
    "privatekey",
    "token",
    "secret",
    "secretkey",
    "password",
    "passwd",
];

/// Names that end like that of a secret, and are none.
const PUBLIC_NAMES: [&str; 5] = [
    "progresstoken",
    "pagetoken",
    "nexttoken",
    "continuationtoken",
    "cancellationtoken",
];

/// Shorter words are not taken for secrets.
const MIN_SECRET: usize = 8;

/// Shorter values of quoted names are kept, as those of JSON members.
pub(super) const MIN_MEMBER: usize = 4;

/// Shorter words without a digit are taken for prose after `token: `.
const MAX_PROSE_WORD: usize = 20;

/// The bytes that a [filter](super::filter::Filter) has to find, so that no text below is missed.
pub(super) fn needles<'a>() -> impl Iterator<Item = &'a [u8]> {
    let others = [
        ".eyJ",
        "bearer",
        "basic",
        "-----BEGIN",
        "apikey",
        "api_key",
        "api-key",
        "accesskey",
        "access_key",
        "access-key",
        "privatekey",
        "private_key",
        "private-key",
        "token",
        "secret",
        "passw",
        "authorization",
        "cookie",
    ];
    let texts = PREFIXES.into_iter().chain(others).map(str::as_bytes);
    texts.chain(url::needles())
}

/// Replaces everything in a text that looks like a secret, without known values.
///
/// ```
/// use inhouse_proto::redact::redact_text;
///
/// assert_eq!(redact_text("token=abcdefgh1", "***"), "token=***");
/// ```
#[must_use]
pub fn redact_text<'a>(text: &'a str, replacement: &str) -> Cow<'a, str> {
    let mut found = Vec::new();
    find(text, |range| found.push(range));
    replace(text, &merged(found), replacement)
}

/// Returns whether a variable or a member with this name is taken for a secret.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let name = normalized(name);
    NAMES.iter().any(|secret| name.ends_with(secret)) && !PUBLIC_NAMES.contains(&name.as_str())
}

/// Returns whether a member of a JSON object with this name has a secret value.
pub(super) fn is_secret_member(name: &str) -> bool {
    is_secret_name(name) || header::NAMES.contains(&normalized(name).as_str())
}

/// Calls `found` with each part of a text that looks like a secret.
pub(super) fn find(text: &str, mut found: impl FnMut(Range<usize>)) {
    let mut at = 0;
    while let Some((key, _)) = private_key::find(text, at) {
        at = key.end;
        found(key);
    }
    let mut at = 0;
    while let Some(start) = find_from(text, at, is_token_byte) {
        let end = find_from(text, start, |byte| !is_token_byte(byte)).unwrap_or(text.len());
        at = end;
        found_in_word(text, start, end)
            .into_iter()
            .for_each(&mut found);
    }
    url::for_each_password(text, &mut found);
    for_each_named(text, |value| {
        if value.is_secret {
            found(value.range);
        }
    });
}

/// Returns where the first name of a secret begins whose value is still open at the end of the text: a quoted one, an array,
/// or a header.
pub(super) fn open_value(text: &str) -> usize {
    let mut start = text.len();
    for_each_named(text, |value| {
        if value.is_open {
            start = start.min(value.name);
        }
    });
    start
}

/// Sorts ranges and joins those that overlap or touch.
pub(super) fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Replaces parts of a text, given in order.
pub(super) fn replace<'a>(
    text: &'a str,
    ranges: &[Range<usize>],
    replacement: &str,
) -> Cow<'a, str> {
    if ranges.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut replaced = String::with_capacity(text.len());
    let mut copied = 0;
    for range in ranges {
        replaced.push_str(&text[copied..range.start]);
        replaced.push_str(replacement);
        copied = range.end;
    }
    replaced.push_str(&text[copied..]);
    Cow::Owned(replaced)
}

/// Returns where the three words at the end begin, which decide about the text behind them: a name, a separator and a value.
pub(super) fn deciding_words(text: &str) -> usize {
    let mut rest = text;
    for word in 0..3 {
        if word > 0 {
            rest = rest.trim_end();
        }
        rest = rest.trim_end_matches(|character: char| !character.is_whitespace());
    }
    rest.len()
}

/// Returns the part to redact of the word at `start..end`.
fn found_in_word(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let word = &text[start..end];
    if let Some(kept) = after_prefix(word) {
        return Some(start + kept..end);
    }
    (word.len() >= MIN_SECRET && follows_scheme(&text[..start])).then_some(start..end)
}

/// Returns the end of an issuer's prefix in `word`, if a secret follows it.
fn after_prefix(word: &str) -> Option<usize> {
    let begins = |at: usize| at == 0 || !word.as_bytes()[at - 1].is_ascii_alphanumeric();
    let prefixed = |prefix: &'static str| {
        word.match_indices(prefix).find_map(|(at, _)| {
            let kept = at + prefix.len();
            (begins(at) && word.len() - kept >= MIN_SECRET).then_some(kept)
        })
    };
    PREFIXES.into_iter().find_map(prefixed).or_else(|| {
        let kept = prefixed(WEB_TOKEN)?;
        word[kept..].contains(".eyJ").then_some(kept)
    })
}

fn follows_scheme(before: &str) -> bool {
    let scheme = before.trim_end();
    let word = scheme.rsplit(|c: char| !c.is_ascii_alphabetic()).next();
    scheme.len() < before.len()
        && word.is_some_and(|word| {
            word.eq_ignore_ascii_case("bearer") || word.eq_ignore_ascii_case("basic")
        })
}

/// A value behind the name of a secret.
struct NamedValue {
    /// Where the name begins.
    name: usize,
    range: Range<usize>,
    is_secret: bool,
    /// Whether the value may continue behind the text: its closing quote is missing, or the end of its array or line.
    is_open: bool,
}

/// Calls `visit` with each value behind the name of a secret and a separator.
///
/// A value depends only on the text from its name on, so a text can be cut before any name.
fn for_each_named(text: &str, mut visit: impl FnMut(NamedValue)) {
    // The end of the last secret without quotes. A name in it, as in `token=token=…`, has a value with the same end, which need not be
    // searched for again.
    let mut covered = 0;
    // The end of the last header without quotes. Those in its line have the same end.
    let mut covered_by_header = 0;
    for separator in memchr::memchr2_iter(b':', b'=', text.as_bytes()) {
        if text.as_bytes()[separator] == b':'
            && let Some(header) = header_at(text, separator, covered_by_header)
        {
            if header.is_quoted || header.range.start >= covered_by_header {
                if !header.is_quoted {
                    covered_by_header = header.range.end;
                }
                visit(NamedValue {
                    name: header.name,
                    is_secret: header.is_secret,
                    is_open: header.is_open,
                    range: header.range,
                });
            }
            continue;
        }
        let Some((name, name_is_quoted)) = secret_name(&text[..separator]) else {
            continue;
        };
        let mut start = skip_blanks(text, separator + 1);
        if start < covered {
            continue;
        }
        let mut in_prose = start > separator + 1;
        let in_array = name_is_quoted && text[start..].starts_with('[');
        if in_array {
            start = skip_blanks(text, start + 1);
        }
        loop {
            let value = value_at(text, start, name_is_quoted);
            let next = skip_blanks(text, value.after);
            let content = &text[value.range.clone()];
            in_prose &= !value.is_quoted;
            let is_plain = content.len() < MAX_PROSE_WORD
                && !content.bytes().any(|byte| byte.is_ascii_digit());
            let min = match name_is_quoted && value.is_quoted {
                true => MIN_MEMBER,
                false => MIN_SECRET,
            };
            let is_secret = content.len() >= min && !(in_prose && is_plain);
            if is_secret && !value.is_quoted {
                covered = value.range.end;
            }
            visit(NamedValue {
                name,
                is_secret,
                is_open: value.is_open || (in_array && next == text.len()),
                range: value.range,
            });
            if !in_array || !text[next..].starts_with(',') {
                break;
            }
            start = skip_blanks(text, next + 1);
        }
    }
}

/// Returns where the name of a secret begins with which `before` ends, and whether the name is quoted.
fn secret_name(before: &str) -> Option<(usize, bool)> {
    let quoted = before.trim_end();
    let named = quoted.trim_end_matches(['"', '\'', '`', '\\']);
    let is_quoted = quoted[named.len()..].contains(['"', '\'', '`']);
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let start = named.trim_end_matches(is_name).len();
    let is_secret = match is_quoted {
        true => is_secret_member(&named[start..]),
        false => is_secret_name(&named[start..]),
    };
    is_secret.then_some((start, is_quoted))
}

struct ValueAt {
    range: Range<usize>,
    /// The end, with the closing quote.
    after: usize,
    is_quoted: bool,
    is_open: bool,
}

/// Returns the value that begins at `start`: up to the matching quote, or to the end of a value without quotes.
fn value_at(text: &str, mut start: usize, may_have_lines: bool) -> ValueAt {
    let bytes = text.as_bytes();
    loop {
        let escapes = bytes[start..].iter().take_while(|byte| **byte == b'\\');
        let escapes = escapes.count();
        let first = start + escapes;
        let Some(quote @ (b'"' | b'\'' | b'`')) = bytes.get(first) else {
            let end = find_from(text, first, ends_value).unwrap_or(text.len());
            return ValueAt {
                range: start..end,
                after: end,
                is_quoted: false,
                is_open: false,
            };
        };
        let inner = first + 1;
        let closing = closing_quote(bytes, inner, *quote, escapes, may_have_lines);
        let (end, after) = closing.unwrap_or((text.len(), text.len()));
        // `""` is empty, or begins a text in triple quotes.
        if end > inner || after == end {
            return ValueAt {
                range: inner..end,
                after,
                is_quoted: true,
                is_open: closing.is_none(),
            };
        }
        start = after;
    }
}

/// Returns the end of a text in quotes, and the end of its closing quote, which has as many backslashes as the opening one.
///
/// A text that may not have several lines ends with its line if it has no closing quote there.
pub(super) fn closing_quote(
    bytes: &[u8],
    start: usize,
    quote: u8,
    escapes: usize,
    may_have_lines: bool,
) -> Option<(usize, usize)> {
    for offset in memchr::memchr2_iter(quote, b'\n', &bytes[start..]) {
        let at = start + offset;
        if bytes[at] == b'\n' {
            match may_have_lines {
                true => continue,
                false => return Some((at, at)),
            }
        }
        let before = bytes[start..at].iter().rev();
        let count = before.take_while(|byte| **byte == b'\\').count();
        // More backslashes are those of an escaped quote, or of escaped backslashes before the closing one.
        if count <= escapes || count % (2 * (escapes + 1)) == escapes {
            return Some((at - count.min(escapes), at + 1));
        }
    }
    None
}

fn skip_blanks(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start().len()
}

pub(super) fn normalized(name: &str) -> String {
    name.replace(['_', '-'], "").to_ascii_lowercase()
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.+/~".contains(&byte)
}

fn ends_value(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"\"'`,;&\\)}]".contains(&byte)
}

/// Returns the index of the first matching byte from `at` on. Callers match only ASCII bytes and the
/// first bytes of characters, so the index is a character boundary.
fn find_from(text: &str, at: usize, matches: impl Fn(u8) -> bool) -> Option<usize> {
    let found = text.as_bytes()[at..].iter().position(|&byte| matches(byte));
    found.map(|offset| at + offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_redacted() {
        let table = [
            (
                "key sk-ant-api03-AbC_123-xyz refused",
                "key sk-ant-*** refused",
            ),
            ("(sk-ant-api03-AbC_123-xyz)", "(sk-ant-***)"),
            (
                "https://host/v1/sk-ant-oat01-abcdefgh?x=1",
                "https://host/v1/sk-ant-***?x=1",
            ),
            (
                "authorization: Bearer abc.def-ghi",
                "authorization: Bearer ***",
            ),
            ("BEARER   0123456789", "BEARER   ***"),
            ("Basic dXNlcjpwYXNzd29yZA==", "Basic ***=="),
            ("ANTHROPIC_API_KEY=secretive", "ANTHROPIC_API_KEY=***"),
            (
                r#"{"apiKey":"abcdefgh","n":1}"#,
                r#"{"apiKey":"***","n":1}"#,
            ),
            (
                r#"{\"access_token\": \"abc$defgh\"}"#,
                r#"{\"access_token\": \"***\"}"#,
            ),
            ("x-api-key: abcdefgh12345", "x-api-key: ***"),
            (
                "> X-Api-Key: two words of it\r\n> Host: a",
                "> X-Api-Key: ***\r\n> Host: a",
            ),
            (
                "> Authorization: token 9f8e7d6c\n> Host: a",
                "> Authorization: ***\n> Host: a",
            ),
            ("Authorization: ApiKey abc", "Authorization: ***"),
            ("authorization: Basic abc", "authorization: Basic abc"),
            (
                "Proxy-Authorization: Digest username=\"me\", response=\"6629fae4\"\nend",
                "Proxy-Authorization: ***\nend",
            ),
            ("> Cookie: sid=0123; b=2\n", "> Cookie: ***\n"),
            (
                "< Set-Cookie: sid=\"a\\\\nb\"; Path=/; Secure\n< b: c",
                "< Set-Cookie: ***\n< b: c",
            ),
            (
                "curl -H 'Cookie: sid=1; b=\"2\"' -H \"Authorization: a token b\" host",
                "curl -H 'Cookie: ***' -H \"Authorization: ***\" host",
            ),
            (
                r#"{"out": "GET /\nCookie: a=12\nHost: b", "cookie": "Cookie: x=1"}"#,
                r#"{"out": "GET /\nCookie: a=12\nHost: b", "cookie": "***"}"#,
            ),
            (
                r#"{"out": "GET / Cookie: a=12\nHost: b", "end": "Cookie: x=12"}"#,
                r#"{"out": "GET / Cookie: ***\nHost: b", "end": "Cookie: ***"}"#,
            ),
            (
                r#"{\"out\": \"GET / Cookie: a=12\", \"n\": [\"GET / Cookie: b=12\"]}"#,
                r#"{\"out\": \"GET / Cookie: ***\", \"n\": [\"GET / Cookie: ***\"]}"#,
            ),
            (
                "connect to postgres://me:pa:ss@word@host:5432/db now",
                "connect to postgres://me:***@host:5432/db now",
            ),
            (
                "git clone 'HTTPS://me:x@host/a.git' mongodb+srv://:abc@h",
                "git clone 'HTTPS://me:***@host/a.git' mongodb+srv://:***@h",
            ),
            ("token: 0123456789abcdef", "token: ***"),
            ("password = 'correct!horse'", "password = '***'"),
            ("DB_PASSWORD=$ecret12345 x", "DB_PASSWORD=*** x"),
            (r"DB_PASSWORD=\$ecret12345 x", "DB_PASSWORD=*** x"),
            (r#"{"password":"!abc12345"}"#, r#"{"password":"***"}"#),
            (
                r#""password": "correct horse battery", "#,
                r#""password": "***", "#,
            ),
            (
                r#"{\"password\": \"a \\\"b c\\\\\", \"n\": 1}"#,
                r#"{\"password\": \"***\", \"n\": 1}"#,
            ),
            (
                r#"{"cookie":"sid=1; b=2","n":1}"#,
                r#"{"cookie":"***","n":1}"#,
            ),
            (
                r#"{"set-cookie": [ "sid=1", "b=22" ], "n": "abcde"}"#,
                r#"{"set-cookie": [ "***", "***" ], "n": "abcde"}"#,
            ),
            (
                r#"password = """one two three""" end"#,
                r#"password = """***""" end"#,
            ),
            ("token: 'not closed\nnext line", "token: '***\nnext line"),
            (
                r#"secret="" other="abcdefgh1""#,
                r#"secret="" other="abcdefgh1""#,
            ),
            ("pushed with ghp_0123456789abcdef", "pushed with ghp_***"),
            (
                "two: token=abcdefgh1 secret=ijklmnop2",
                "two: token=*** secret=***",
            ),
            ("ä token=abc$äöüäöü ö", "ä token=*** ö"),
            (
                "task-ant-farm/sk-ant-api03-AbC_123-xyz",
                "task-ant-farm/sk-ant-***",
            ),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "eyJ***"),
            (
                "a\n-----BEGIN EC PRIVATE KEY-----\nabc\n-----END EC PRIVATE KEY-----\nb",
                "a\n***\nb",
            ),
            ("cut: -----BEGIN PRIVATE KEY-----\nabc", "cut: ***"),
        ];
        for (text, redacted) in table {
            assert_eq!(redact_text(text, "***"), redacted);
        }
    }

    #[test]
    fn values_in_a_text_without_blanks_are_searched_once() {
        let text = "token=".repeat(1000);
        let mut searched = 0;
        find(&text, |range| searched += range.len());
        assert!(searched <= text.len(), "{searched} bytes of {}", text.len());
        assert_eq!(redact_text(&text, "***"), "token=***");
    }

    #[test]
    fn line_of_many_headers_is_searched_once() {
        // Takes minutes if the end of the line is searched for from each header.
        let text = "Cookie:".repeat(150_000);
        assert_eq!(redact_text(&text, "***"), "Cookie:***");
        assert_eq!(redact_text(&(text + "\n"), "***"), "Cookie:***\n");
    }

    #[test]
    fn other_text_is_kept() {
        for text in [
            "",
            "Error: ENOENT: no such file or directory, open '/home/me/sk-tool/config.json'",
            "Unexpected token: something else",
            "max_tokens: 200000000",
            r#"{"password": "", "cookie": [], "token": {"a": "bcdefgh"}, "n": "abcdefgh1"}"#,
            "progressToken=abcdefgh123",
            "a bearer of good news",
            "task-antenna-assembly-line",
            "ärger: token – straße 123456789",
            "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
            "Cookie:\nnext line, and a set_cookie function: it sets one",
            "ssh://git@host:22/a https://host:8080/?mail=me@host http://[::1]:80 ://a:b@c",
            "http://localhost:8080\nme@host, mailto:me@host, https://me:@host",
        ] {
            assert_eq!(redact_text(text, "***"), text);
        }
    }
}
