//! Byte searches in responses, prepared once.

use std::sync::LazyLock;

use memchr::memmem::Finder;

/// A search for a member name with its quotes and colon.
type Name = LazyLock<Finder<'static>>;

static REQUEST_ID: Name = Name::new(|| Finder::new("\"request_id\":"));
static ID: Name = Name::new(|| Finder::new("\"id\":"));
pub(super) static TEXT: Name = Name::new(|| Finder::new("\"text\":"));
pub(super) static PERMISSION_DECISION: Name = Name::new(|| Finder::new("\"permissionDecision\":"));
pub(super) static BEHAVIOR: Name = Name::new(|| Finder::new("\"behavior\":"));

/// Returns the number in the string after `"request_id":`.
pub(super) fn request_id(line: &[u8]) -> Option<u64> {
    number(member(line, &REQUEST_ID)?.strip_prefix(b"\"")?)
}

/// Returns the string after `"request_id":`, for ids that are not numbers.
pub(crate) fn request_id_text(line: &[u8]) -> Option<&str> {
    string(member(line, &REQUEST_ID)?)
}

/// Returns the number after `"id":`, the id of the JSON-RPC response.
pub(super) fn rpc_id(line: &[u8]) -> Option<u64> {
    number(member(line, &ID)?)
}

/// Returns the bytes after a name; some hosts write a space before the value.
pub(super) fn member<'a>(line: &'a [u8], name: &Finder<'_>) -> Option<&'a [u8]> {
    let value = &line[name.find(line)? + name.needle().len()..];
    Some(value.strip_prefix(b" ").unwrap_or(value))
}

/// Returns the string without escapes at the beginning of the bytes.
pub(super) fn string(bytes: &[u8]) -> Option<&str> {
    let value = bytes.strip_prefix(b"\"")?;
    std::str::from_utf8(&value[..memchr::memchr(b'"', value)?]).ok()
}

fn number(digits: &[u8]) -> Option<u64> {
    let length = digits
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    std::str::from_utf8(&digits[..length]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_are_read_with_and_without_spaces() {
        for line in [
            br#"{"type":"control_response","response":{"request_id":"7","response":{"mcp_response":{"id":8,"result":{}}}}}"#.as_slice(),
            br#"{"type": "control_response", "response": {"request_id": "7", "response": {"mcp_response": {"result": {}, "id": 8}}}}"#,
        ] {
            assert_eq!((request_id(line), rpc_id(line)), (Some(7), Some(8)));
            assert_eq!(request_id_text(line), Some("7"));
        }
        assert_eq!(request_id(br#"{"request_id":"seven"}"#), None);
    }
}
