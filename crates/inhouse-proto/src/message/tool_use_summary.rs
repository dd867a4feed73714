use crate::open::open_struct;

open_struct! {
    /// A few words about what a row of tool calls did, for display in their place.
    pub struct ToolUseSummaryMessage ["type" = "tool_use_summary"] {
        /// The words.
        pub summary: String,
        /// The calls.
        pub preceding_tool_use_ids: Option<Vec<String>>,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}
