use inhouse_macros::Open;

/// A short summary of several consecutive tool calls, to display in their place.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ToolUseSummaryMessage {
    /// Text of the summary, for display.
    pub summary: String,
    /// The ids of the summarized tool calls.
    pub preceding_tool_use_ids: Option<Vec<String>>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}
