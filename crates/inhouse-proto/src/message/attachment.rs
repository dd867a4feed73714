use inhouse_macros::Open;
use serde_json::Value;

/// Additional information that the CLI adds beside the conversation, such as the output of a hook.
///
/// Observed when a deferred tool call continues after the session was resumed (CLI 2.1.325).
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct AttachmentMessage {
    /// The attachment as a JSON value; its `type` member names the kind.
    pub attachment: Value,
    /// The tool call that started the subagent that the attachment belongs to.
    pub parent_tool_use_id: Option<String>,
    /// Time at which the attachment was added.
    pub timestamp: Option<String>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}
