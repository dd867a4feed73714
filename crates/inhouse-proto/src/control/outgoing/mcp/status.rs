use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;
use serde_json::{Map, Value};

/// Request for the state of the MCP servers.
///
/// A server in the host's process is missing from the reply until the CLI has tried to connect to it once.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct McpStatus {
    /// Whether the CLI replies with the state that it has now; for remote transports only.
    #[serde(rename = "liveReply", skip_serializing_if = "Option::is_none")]
    pub live_reply: Option<bool>,
}

impl McpStatus {
    /// Creates a request without optional members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether the CLI replies with the state that it has now; for remote transports only.
    #[must_use]
    pub fn live_reply(mut self, live_reply: bool) -> Self {
        self.live_reply = Some(live_reply);
        self
    }
}

impl ControlRequest for McpStatus {
    const SUBTYPE: &'static str = "mcp_status";
    type Reply = McpStatusReply;
}

/// The reply to [`McpStatus`]: the state of each MCP server.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpStatusReply {
    /// The MCP servers of the session.
    pub mcp_servers: Vec<McpServerStatus>,
}

/// State of one MCP server.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpServerStatus {
    /// Name of the MCP server.
    pub name: String,
    /// State of the connection to the server.
    pub status: McpConnection,
    /// Name and version that the server reported.
    pub server_info: Option<McpServerInfo>,
    /// Reason why the connection failed. CLI 2.1.325 sends none for a server in the host's process.
    pub error: Option<String>,
    /// Configuration of the server. The CLI sends none for a server in the host's process.
    pub config: Option<Map<String, Value>>,
    /// Transport of the connection: `sdk`, `stdio`, `sse` or `http`; `None` with old CLIs.
    pub transport: Option<String>,
    /// Configuration scope that defines the server, such as `dynamic` for a server in the host's process. CLI 2.1.325
    /// sends `user` instead after the connection to such a server has failed.
    pub scope: Option<String>,
    /// Source that the server comes from; `sdk` for a server in the host's process.
    pub source: Option<String>,
    /// Tools that the server provides.
    pub tools: Option<Vec<McpToolInfo>>,
}

/// State of the connection to an MCP server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum McpConnection {
    /// The server is connected and answers.
    Connected,
    /// The server could not be reached.
    Failed,
    /// The server requires the user to sign in first.
    #[serde(rename = "needs-auth")]
    NeedsAuth,
    /// The connection is being established.
    Pending,
    /// The server is disabled.
    Disabled,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Name and version that an MCP server reported.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct McpServerInfo {
    /// Name that the server reported.
    pub name: String,
    /// Version that the server reported.
    pub version: String,
}

/// A tool of an MCP server, as the CLI lists it.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct McpToolInfo {
    /// Name of the tool, without the server's name.
    pub name: String,
    /// Description of what the tool does.
    pub description: Option<String>,
    /// Hints about the effects of the tool.
    pub annotations: Option<McpToolAnnotations>,
    /// Metadata that the server attached to the tool.
    #[serde(rename = "_meta")]
    pub meta: Option<Map<String, Value>>,
}

/// Hints of an MCP server about the effects of calls to a tool.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpToolAnnotations {
    /// Whether calls leave everything unchanged.
    pub read_only: Option<bool>,
    /// Whether calls may destroy data.
    pub destructive: Option<bool>,
    /// Whether calls interact with systems outside of the server.
    pub open_world: Option<bool>,
}
