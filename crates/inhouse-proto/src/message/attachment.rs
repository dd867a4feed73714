use inhouse_macros::Open;
use serde_json::Value;

/// Something that the CLI put beside the conversation, such as the words of a hook.
///
/// Seen where a deferred tool call goes on after the session was resumed (2.1.325).
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct AttachmentMessage {
    /// What it is, told apart by its `type`.
    pub attachment: Value,
    /// The tool call of the subagent to which it belongs.
    pub parent_tool_use_id: Option<String>,
    /// When.
    pub timestamp: Option<String>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}
