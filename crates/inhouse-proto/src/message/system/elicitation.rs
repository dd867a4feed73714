use crate::open::open_struct;

open_struct! {
    /// What an MCP server asked the user was answered elsewhere, such as on a web page.
    pub struct ElicitationCompleteMessage ["type" = "system", "subtype" = "elicitation_complete"] {
        /// The server.
        pub mcp_server_name: Option<String>,
        /// The question.
        pub elicitation_id: String,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}
