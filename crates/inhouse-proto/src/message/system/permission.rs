use inhouse_macros::Open;

/// A tool call was denied.
///
/// A hint only: denials by hooks and by some rules about files are not reported. The complete
/// record is [`ResultMessage::permission_denials`](crate::message::ResultMessage).
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PermissionDeniedMessage {
    /// The tool.
    pub tool_name: String,
    /// The id of the call.
    pub tool_use_id: Option<String>,
    /// What the model is told.
    pub message: Option<String>,
    /// The subagent that made the call.
    pub agent_id: Option<String>,
    /// What decided, such as `rule` or `classifier`.
    pub decision_reason_type: Option<String>,
    /// Why, in words.
    pub decision_reason: Option<String>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}
