use memchr::memmem;

/// The number in the string behind `"request_id":`.
pub(crate) fn request_id(line: &[u8]) -> Option<u64> {
    let value = member(line, b"\"request_id\":")?;
    number(value.strip_prefix(b"\"")?)
}

/// The number behind the `"id":` of the JSON-RPC response.
pub(crate) fn rpc_id(line: &[u8]) -> Option<u64> {
    number(member(line, b"\"id\":")?)
}

/// What follows a name; some hosts write a space before the value.
pub(crate) fn member<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let value = &line[memmem::find(line, name)? + name.len()..];
    Some(value.strip_prefix(b" ").unwrap_or(value))
}

/// A string without escapes, from behind a name.
pub(crate) fn string<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let value = member(line, name)?.strip_prefix(b"\"")?;
    let end = memchr::memchr(b'"', value)?;
    Some(&value[..end])
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
    fn answers_are_read_with_and_without_spaces() {
        for line in [
            br#"{"type":"control_response","response":{"request_id":"7","response":{"mcp_response":{"id":8,"result":{}}}}}"#.as_slice(),
            br#"{"type": "control_response", "response": {"request_id": "7", "response": {"mcp_response": {"result": {}, "id": 8}}}}"#,
        ] {
            assert_eq!((request_id(line), rpc_id(line)), (Some(7), Some(8)));
            assert_eq!(string(line, b"\"type\":"), Some(b"control_response".as_slice()));
        }
        assert_eq!(request_id(br#"{"request_id":"seven"}"#), None);
    }
}
