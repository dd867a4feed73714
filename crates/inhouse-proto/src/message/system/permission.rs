use inhouse_macros::Open;

/// Message sent when a tool call was denied.
///
/// The messages are incomplete: denials by hooks and by some rules about files are not reported. The complete record is
/// [`ResultMessage::permission_denials`](crate::message::ResultMessage).
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PermissionDeniedMessage {
    /// The name of the tool.
    pub tool_name: String,
    /// The id of the tool call.
    pub tool_use_id: Option<String>,
    /// Text that the model receives as the result of the call.
    pub message: Option<String>,
    /// The subagent that made the call. `None` in the main conversation.
    pub agent_id: Option<String>,
    /// The kind of the reason for the denial, such as `rule` or `classifier`.
    pub decision_reason_type: Option<String>,
    /// Description of the reason for the denial.
    pub decision_reason: Option<String>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}
