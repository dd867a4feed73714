use inhouse_macros::Open;

/// What an MCP server asked the user was answered elsewhere, such as on a web page.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ElicitationCompleteMessage {
    /// The server.
    pub mcp_server_name: Option<String>,
    /// The question.
    pub elicitation_id: String,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}
