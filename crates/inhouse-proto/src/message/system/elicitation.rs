use inhouse_macros::Open;

/// Message sent when an MCP server confirms that an elicitation was completed outside of the session, such as on a web
/// page.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ElicitationCompleteMessage {
    /// The name of the MCP server.
    pub mcp_server_name: Option<String>,
    /// The id of the elicitation.
    pub elicitation_id: String,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}
