use std::borrow::Cow;
use std::ops::Range;

const REPLACEMENT: &str = "***";

/// The prefixes of keys and tokens of well-known issuers.
const PREFIXES: [&str; 10] = [
    "sk-ant-",
    "sk-proj-",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "AKIA",
    "eyJ",
];

/// The last parts of names of secrets, in lower case and without `_` and `-`.
const NAMES: [&str; 7] = [
    "apikey",
    "accesskey",
    "token",
    "secret",
    "secretkey",
    "password",
    "passwd",
];

/// Shorter words are not taken for secrets.
const MIN_SECRET: usize = 8;

/// Shorter words without a digit are taken for prose after `token: `.
const MAX_PROSE_WORD: usize = 20;

/// Replaces everything that looks like a secret with `***`.
///
/// Secrets are words with the prefix of a well-known issuer, the word after `Bearer` or `Basic`, and
/// the value after a name such as `api_key=` or `"token":`.
pub(crate) fn redact(line: &str) -> Cow<'_, str> {
    let mut redacted = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(start) = find_from(line, at, is_token_byte) {
        let end = find_from(line, start, |byte| !is_token_byte(byte)).unwrap_or(line.len());
        at = end;
        if let Some(secret) = secret_in(line, start, end) {
            redacted.push_str(&line[copied..secret.start]);
            redacted.push_str(REPLACEMENT);
            copied = secret.end;
            at = secret.end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(line);
    }
    redacted.push_str(&line[copied..]);
    Cow::Owned(redacted)
}

/// Returns the part to redact of the word at `start..end`, or of the value that begins with it.
fn secret_in(line: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let (before, word) = (&line[..start], &line[start..end]);
    if let Some(kept) = after_prefix(word) {
        return Some(start + kept..end);
    }
    if word.len() >= MIN_SECRET && follows_scheme(before) {
        return Some(start..end);
    }
    let in_prose = follows_name(before)?;
    let end = find_from(line, start, ends_value).unwrap_or(line.len());
    let value = &line[start..end];
    let plain = value.len() < MAX_PROSE_WORD && !value.bytes().any(|byte| byte.is_ascii_digit());
    (value.len() >= MIN_SECRET && !(in_prose && plain)).then_some(start..end)
}

/// Returns the end of an issuer's prefix in `word`, if a secret follows it.
fn after_prefix(word: &str) -> Option<usize> {
    PREFIXES.iter().find_map(|prefix| {
        let at = word.find(prefix)?;
        let begins = at == 0 || !word.as_bytes()[at - 1].is_ascii_alphanumeric();
        let kept = at + prefix.len();
        (begins && word.len() - kept >= MIN_SECRET).then_some(kept)
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

/// Returns `Some` if `before` ends with the name of a secret and a separator; `true` if they are
/// written as in a sentence, with a space and without quotes.
fn follows_name(before: &str) -> Option<bool> {
    const QUOTES: [char; 4] = ['"', '\'', '`', '\\'];
    let value_quoted = before.trim_end_matches(QUOTES);
    let separated = value_quoted.trim_end();
    let name = separated.strip_suffix([':', '='])?;
    let name = name.trim_end().trim_end_matches(QUOTES);
    let name = name
        .rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'))
        .next()?
        .replace(['_', '-'], "")
        .to_ascii_lowercase();
    let in_prose = separated.len() < value_quoted.len() && value_quoted.len() == before.len();
    NAMES
        .iter()
        .any(|secret| name.ends_with(secret))
        .then_some(in_prose)
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.+/~".contains(&byte)
}

fn ends_value(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"\"'`,;&\\)}]".contains(&byte)
}

/// Returns the index of the first matching byte from `at` on. Callers match only ASCII bytes and the
/// first bytes of characters, so the index is a character boundary.
fn find_from(line: &str, at: usize, matches: impl Fn(u8) -> bool) -> Option<usize> {
    let found = line.as_bytes()[at..].iter().position(|&byte| matches(byte));
    found.map(|offset| at + offset)
}

#[cfg(test)]
mod tests {
    use super::redact;

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
            ("token: 0123456789abcdef", "token: ***"),
            ("password = 'correct!horse'", "password = '***'"),
            ("pushed with ghp_0123456789abcdef", "pushed with ghp_***"),
            (
                "two: token=abcdefgh1 secret=ijklmnop2",
                "two: token=*** secret=***",
            ),
            ("ä token=abc$äöüäöü ö", "ä token=*** ö"),
        ];
        for (line, redacted) in table {
            assert_eq!(redact(line), redacted);
        }
    }

    #[test]
    fn other_text_is_kept() {
        for line in [
            "",
            "Error: ENOENT: no such file or directory, open '/home/me/sk-tool/config.json'",
            "Unexpected token: something else",
            "max_tokens: 200000000",
            "a bearer of good news",
            "task-antenna-assembly-line",
            "ärger: token – straße 123456789",
        ] {
            assert_eq!(redact(line), line);
        }
    }
}
