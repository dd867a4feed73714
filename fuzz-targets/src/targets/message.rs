use inhouse_proto::message::Message;

use super::is_json;

/// Decodes a line as a message.
///
/// A message is a JSON object, keeps its line, and can be serialized and decoded again.
pub fn message(line: &[u8]) {
    let Ok(message) = Message::decode(line) else {
        return;
    };
    assert_eq!(message.raw().as_bytes(), line);
    assert!(is_json(message.raw()), "not JSON: {}", message.raw());
    let _ = (message.tag(), message.session_id(), message.uuid());
    let _ = (message.parent_tool_use_id(), format!("{message:?}"));

    let written = serde_json::to_string(&message).expect("a decoded line is JSON");
    assert_eq!(written, message.raw().trim());
    let again: Message = serde_json::from_str(&written).expect("a message is decoded again");
    assert_eq!(again.tag(), message.tag());
    // The reason of an unknown message has positions, which differ without the whitespace around the line.
    if written == message.raw() {
        assert_eq!(again, message);
    }
}
