use crate::control::ControlRequest;
use inhouse_macros::Open;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::control::Empty;

/// Request to replace the MCP servers that were added while the session runs.
///
/// The set is complete: it replaces the servers of earlier requests and *all* servers in the host's process, those
/// named in `initialize` included. Servers of the command line and of settings stay.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct McpSetServers {
    /// Configurations of the servers by name, as in an MCP configuration file.
    pub servers: BTreeMap<String, Value>,
}

impl McpSetServers {
    /// Creates a request with an empty set of servers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a server under a name, with its configuration.
    #[must_use]
    pub fn server(mut self, name: impl Into<String>, config: Value) -> Self {
        self.servers.insert(name.into(), config);
        self
    }
}

impl ControlRequest for McpSetServers {
    const SUBTYPE: &'static str = "mcp_set_servers";
    type Reply = McpSetServersReply;
}

/// The reply to [`McpSetServers`]: the servers that changed.
///
/// CLI 2.1.325 sends the reply before the MCP handshakes of servers in the host's process.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct McpSetServersReply {
    /// Names of the servers that were added.
    pub added: Vec<String>,
    /// Names of the servers that were removed.
    pub removed: Vec<String>,
    /// Errors of the servers that did not start, by server name.
    pub errors: BTreeMap<String, String>,
}

/// Request to reconnect to an MCP server.
///
/// Reconnecting fails for a server in the host's process: disable and enable that with [`McpToggle`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct McpReconnect {
    /// Name of the MCP server.
    #[serde(rename = "serverName")]
    pub server_name: String,
}

impl McpReconnect {
    /// Creates a request for the named server.
    #[must_use]
    pub fn new(server_name: impl Into<String>) -> Self {
        Self {
            server_name: server_name.into(),
        }
    }
}

impl ControlRequest for McpReconnect {
    const SUBTYPE: &'static str = "mcp_reconnect";
    type Reply = Empty;
}

/// Request to enable or disable an MCP server.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct McpToggle {
    /// Name of the MCP server.
    #[serde(rename = "serverName")]
    pub server_name: String,
    /// Whether the server is enabled.
    pub enabled: bool,
}

impl McpToggle {
    /// Creates a request to enable or disable the named server.
    #[must_use]
    pub fn new(server_name: impl Into<String>, enabled: bool) -> Self {
        Self {
            server_name: server_name.into(),
            enabled,
        }
    }
}

impl ControlRequest for McpToggle {
    const SUBTYPE: &'static str = "mcp_toggle";
    type Reply = Empty;
}
