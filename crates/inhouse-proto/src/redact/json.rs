use serde_json::Value;

use super::{REPLACEMENT, Secrets, pattern};

impl Secrets {
    /// Replaces the secrets in JSON text, or in a part of it that begins and ends between tokens; `None` if there is none.
    ///
    /// Only strings with a secret change, and scalars that are one. Everything else keeps its bytes.
    pub(super) fn redact_json(&self, json: &str) -> Option<String> {
        if !self.may_be_in(json) {
            return None;
        }
        let mut redacted = String::with_capacity(json.len());
        let mut copied = 0;
        let mut name_is_secret = false;
        // Whether the value of the secret name is an array.
        let mut in_array = false;
        let tokens = Tokens { json, at: 0 };
        for token in tokens {
            let text = &json[token.start..token.end];
            let replaced = match token.kind {
                Kind::Name => {
                    let name = decoded(text);
                    name_is_secret = pattern::is_secret_member(&name);
                    in_array = false;
                    self.redact_string(&name)
                }
                Kind::String => {
                    let value = decoded(text);
                    let is_secret = name_is_secret && value.len() >= pattern::MIN_MEMBER;
                    name_is_secret &= in_array;
                    match is_secret {
                        true => Some(quoted(REPLACEMENT)),
                        false => self.redact_string(&value),
                    }
                }
                Kind::Scalar => {
                    name_is_secret &= in_array;
                    (!self.find(text).is_empty()).then(|| quoted(REPLACEMENT))
                }
                Kind::Array => {
                    in_array = name_is_secret;
                    None
                }
                Kind::Object | Kind::ArrayEnd => {
                    name_is_secret = false;
                    None
                }
            };
            if let Some(replaced) = replaced {
                redacted.push_str(&json[copied..token.start]);
                redacted.push_str(&replaced);
                copied = token.end;
            }
        }
        redacted.push_str(&json[copied..]);
        (copied > 0).then_some(redacted)
    }

    fn redact_string(&self, text: &str) -> Option<String> {
        if !self.may_be_in(text) {
            return None;
        }
        let found = self.find(text);
        (!found.is_empty()).then(|| quoted(&pattern::replace(text, &found, REPLACEMENT)))
    }
}

/// Returns the text of a JSON string, given with its quotation marks.
pub(super) fn decoded(string: &str) -> String {
    let parsed = crate::wire::parse_json::<String>(string);
    parsed.unwrap_or_else(|_| string.trim_matches('"').to_owned())
}

pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// The tokens of JSON text that matter here.
struct Tokens<'a> {
    json: &'a str,
    at: usize,
}

struct Token {
    kind: Kind,
    start: usize,
    end: usize,
}

enum Kind {
    /// A string that is followed by a colon.
    Name,
    String,
    /// A number, `true`, `false` or `null`.
    Scalar,
    /// The start of an object.
    Object,
    /// The start of an array.
    Array,
    ArrayEnd,
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let bytes = self.json.as_bytes();
        let is_gap = |byte: &u8| byte.is_ascii_whitespace() || b",:}".contains(byte);
        let start = self.at + bytes[self.at..].iter().position(|byte| !is_gap(byte))?;
        let (kind, end) = match bytes[start] {
            b'"' => {
                let end = string_end(bytes, start);
                let next = bytes[end..].iter().find(|byte| !byte.is_ascii_whitespace());
                let kind = match next {
                    Some(b':') => Kind::Name,
                    _ => Kind::String,
                };
                (kind, end)
            }
            b'{' => (Kind::Object, start + 1),
            b'[' => (Kind::Array, start + 1),
            b']' => (Kind::ArrayEnd, start + 1),
            _ => {
                let ends = |byte: &u8| is_gap(byte) || b"\"{[]".contains(byte);
                let length = bytes[start..].iter().position(ends);
                (
                    Kind::Scalar,
                    length.map_or(bytes.len(), |length| start + length),
                )
            }
        };
        self.at = end;
        Some(Token { kind, start, end })
    }
}

/// Returns the end of the string whose opening quotation mark is at `start`.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(offset) = memchr::memchr2(b'"', b'\\', &bytes[at..]) {
        at += offset;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
        if at > bytes.len() {
            break;
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted(json: &str) -> String {
        let secrets = Secrets::new(["pass\"word".to_owned(), "123456789".to_owned()]);
        secrets.redact_json(json).unwrap_or_else(|| json.to_owned())
    }

    #[test]
    fn only_secrets_change() {
        for (json, expected) in [
            (
                r#"{"a": "x pass\"word y", "b":1.50}"#,
                r#"{"a": "x [redacted] y", "b":1.50}"#,
            ),
            (r#"["pass\u0022word"]"#, r#"["[redacted]"]"#),
            (
                r#"{"n":123456789,"m":[1234567890]}"#,
                r#"{"n":"[redacted]","m":["[redacted]"]}"#,
            ),
            (
                r#"{"Authorization":"Custom x"}"#,
                r#"{"Authorization":"[redacted]"}"#,
            ),
            (
                r#"{"x-api-key" : "hunter2"}"#,
                r#"{"x-api-key" : "[redacted]"}"#,
            ),
            (
                r#"{"t":"{\"k\":\"pass\\\"word\"}"}"#,
                r#"{"t":"{\"k\":\"[redacted]\"}"}"#,
            ),
            (
                r#"{"h":"Authorization: Bearer abcdefghij"}"#,
                r#"{"h":"Authorization: Bearer [redacted]"}"#,
            ),
            (
                r#"{"set-cookie":["sid=1", "b=22"],"a":["sid=1"]}"#,
                r#"{"set-cookie":["[redacted]", "[redacted]"],"a":["sid=1"]}"#,
            ),
            (
                r#"{"t":"{\"authorization\":[\"Custom x\"]}"}"#,
                r#"{"t":"{\"authorization\":[\"[redacted]\"]}"}"#,
            ),
            (r#"{"pass\"word":1}"#, r#"{"[redacted]":1}"#),
        ] {
            assert_eq!(redacted(json), expected);
        }
    }

    #[test]
    fn other_lines_keep_their_bytes() {
        for json in [
            r#"{"usage":{"input_tokens":12345678},"token":null,"secret":{"a":"bcdefgh"}}"#,
            r#"{"_meta":{"progressToken":"abcdefgh-123"}}"#,
            r#"{"a":"caf\u00e9 \/ \n"}"#,
            "not JSON \"",
            "\"\\",
        ] {
            assert_eq!(redacted(json), json);
        }
    }
}
