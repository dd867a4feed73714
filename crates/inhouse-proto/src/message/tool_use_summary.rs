use inhouse_macros::Open;

/// A few words about what a row of tool calls did, for display in their place.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ToolUseSummaryMessage {
    /// The words.
    pub summary: String,
    /// The calls.
    pub preceding_tool_use_ids: Option<Vec<String>>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}
