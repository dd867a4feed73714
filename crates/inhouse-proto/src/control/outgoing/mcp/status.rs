use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;
use serde_json::{Map, Value};

/// Asks how the MCP servers are.
///
/// A server that lives in the host's process is missing until the CLI has tried to connect to
/// it once.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct McpStatus {
    /// Whether to answer from what is known now; for remote transports only.
    #[serde(rename = "liveReply", skip_serializing_if = "Option::is_none")]
    pub live_reply: Option<bool>,
}

impl McpStatus {
    /// Creates the request without its optional members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether to answer from what is known now; for remote transports only.
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

/// The reply to [`McpStatus`].
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpStatusReply {
    /// The servers.
    pub mcp_servers: Vec<McpServerStatus>,
}

/// How one MCP server is.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpServerStatus {
    /// Its name.
    pub name: String,
    /// Whether it is connected.
    pub status: McpConnection,
    /// What it says about itself.
    pub server_info: Option<McpServerInfo>,
    /// Why it failed.
    pub error: Option<String>,
    /// How it is configured.
    pub config: Option<Map<String, Value>>,
    /// How it is reached: `sdk`, `stdio`, `sse` or `http`; absent from old CLIs.
    pub transport: Option<String>,
    /// The layer of configuration that names it.
    pub scope: Option<String>,
    /// Where it comes from; `sdk` for a server in the host's process.
    pub source: Option<String>,
    /// Its tools.
    pub tools: Option<Vec<McpToolInfo>>,
}

/// The state of the connection to an MCP server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum McpConnection {
    /// It answers.
    Connected,
    /// It could not be reached.
    Failed,
    /// It wants somebody to sign in first.
    #[serde(rename = "needs-auth")]
    NeedsAuth,
    /// It is being connected.
    Pending,
    /// It is turned off.
    Disabled,
    /// A value that this version does not know.
    Unknown(String),
}

/// What an MCP server says about itself.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct McpServerInfo {
    /// Its own name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// A tool of an MCP server.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct McpToolInfo {
    /// Its name, without the server's.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// What it promises.
    pub annotations: Option<McpToolAnnotations>,
    /// What the server attached to it.
    #[serde(rename = "_meta")]
    pub meta: Option<Map<String, Value>>,
}

/// What a tool promises about its calls.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpToolAnnotations {
    /// They change nothing.
    pub read_only: Option<bool>,
    /// They may destroy something.
    pub destructive: Option<bool>,
    /// They reach out into the world.
    pub open_world: Option<bool>,
}
