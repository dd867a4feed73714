use std::borrow::Cow;

const MASK: &str = "***";

/// What keys and tokens of well-known issuers begin with.
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

/// How names of secrets end, in lower case and without `_` and `-`.
const NAMES: [&str; 7] = [
    "apikey",
    "accesskey",
    "token",
    "secret",
    "secretkey",
    "password",
    "passwd",
];

/// What is shorter is no key.
const SHORTEST: usize = 8;

/// Words that are no longer than this and have no digit are taken for prose after `token: `.
const LONGEST_WORD: usize = 20;

/// Replaces what looks like a secret.
///
/// That is: a word with the prefix of a well-known issuer, the word after `Bearer` or `Basic`, and
/// the value after a name such as `api_key=` or `"token":`.
pub(crate) fn mask(line: &str) -> Cow<'_, str> {
    let mut masked = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(start) = find_from(line, at, is_token_byte) {
        let end = find_from(line, start, |byte| !is_token_byte(byte)).unwrap_or(line.len());
        at = end;
        if let Some(secret) = secret_in(line, start, end) {
            masked.push_str(&line[copied..secret.start]);
            masked.push_str(MASK);
            copied = secret.end;
            at = secret.end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(line);
    }
    masked.push_str(&line[copied..]);
    Cow::Owned(masked)
}

/// The part to mask of the word at `start..end`, or of the value that begins with it.
fn secret_in(line: &str, start: usize, end: usize) -> Option<std::ops::Range<usize>> {
    let (before, word) = (&line[..start], &line[start..end]);
    if let Some(kept) = after_prefix(word) {
        return Some(start + kept..end);
    }
    if word.len() >= SHORTEST && follows_scheme(before) {
        return Some(start..end);
    }
    let in_prose = follows_name(before)?;
    let end = find_from(line, start, ends_value).unwrap_or(line.len());
    let value = &line[start..end];
    let plain = value.len() < LONGEST_WORD && !value.bytes().any(|byte| byte.is_ascii_digit());
    (value.len() >= SHORTEST && !(in_prose && plain)).then_some(start..end)
}

/// The length of `word` up to and with a prefix that a secret follows.
fn after_prefix(word: &str) -> Option<usize> {
    PREFIXES.iter().find_map(|prefix| {
        let at = word.find(prefix)?;
        let begins = at == 0 || !word.as_bytes()[at - 1].is_ascii_alphanumeric();
        let kept = at + prefix.len();
        (begins && word.len() - kept >= SHORTEST).then_some(kept)
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

/// Whether a secret's name and a separator stand before; and if so, whether as in a sentence, with a
/// space and no quotes.
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

/// The first byte from `at` on that is as wanted. Only ASCII bytes and the first bytes of characters
/// are ever wanted, so it is a character's boundary.
fn find_from(line: &str, at: usize, wanted: impl Fn(u8) -> bool) -> Option<usize> {
    let found = line.as_bytes()[at..].iter().position(|&byte| wanted(byte));
    found.map(|offset| at + offset)
}

#[cfg(test)]
mod tests {
    use super::mask;

    #[test]
    fn secrets_are_masked() {
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
        for (line, masked) in table {
            assert_eq!(mask(line), masked);
        }
    }

    #[test]
    fn what_is_no_secret_stays() {
        for line in [
            "",
            "Error: ENOENT: no such file or directory, open '/home/me/sk-tool/config.json'",
            "Unexpected token: something else",
            "max_tokens: 200000000",
            "a bearer of good news",
            "task-antenna-assembly-line",
            "ärger: token – straße 123456789",
        ] {
            assert_eq!(mask(line), line);
        }
    }
}
