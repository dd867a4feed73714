use serde_json::{Map, Value};

use super::event::hook_event;
use crate::control::incoming::ElicitationMode;
use crate::open::open_enum;

hook_event! {
    /// An MCP server is about to ask a person something.
    pub struct Elicitation {
        /// The server.
        pub mcp_server_name: String,
        /// What it wants to know.
        pub message: String,
        /// How the person answers.
        pub mode: Option<ElicitationMode>,
        /// The page to open.
        pub url: Option<String>,
        /// The id of the question.
        pub elicitation_id: Option<String>,
        /// The JSON schema of the answer.
        pub requested_schema: Option<Map<String, Value>>,
    }
}

hook_event! {
    /// A person has answered an MCP server.
    pub struct ElicitationResult {
        /// The server.
        pub mcp_server_name: String,
        /// The id of the question.
        pub elicitation_id: Option<String>,
        /// How the person answered.
        pub mode: Option<ElicitationMode>,
        /// What the person did.
        pub action: ElicitationAction,
        /// The form that was filled in.
        pub content: Option<Map<String, Value>>,
    }
}

open_enum! {
    /// What a person did about the question of an MCP server.
    pub enum ElicitationAction {
        /// Answered it.
        Accept = "accept",
        /// Refused to answer.
        Decline = "decline",
        /// Went away.
        Cancel = "cancel",
    }
}
