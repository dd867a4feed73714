use crate::control::ControlRequest;
use inhouse_macros::Open;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::control::Empty;

/// Replaces the MCP servers that were added while running.
///
/// The set is complete: it takes the place of what earlier requests set and of *all* servers in the
/// host's process, those named in `initialize` included. Servers of the command line and of settings
/// stay.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct McpSetServers {
    /// The servers and how each is configured, as in an MCP configuration file.
    pub servers: BTreeMap<String, Value>,
}

impl McpSetServers {
    /// The empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a server.
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

/// The reply to [`McpSetServers`].
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct McpSetServersReply {
    /// Servers that are new.
    pub added: Vec<String>,
    /// Servers that are gone.
    pub removed: Vec<String>,
    /// Servers that did not start, and why.
    pub errors: BTreeMap<String, String>,
}

/// Connects to a server again.
///
/// It fails for a server in the host's process: turn that off and on with [`McpToggle`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct McpReconnect {
    /// The server.
    #[serde(rename = "serverName")]
    pub server_name: String,
}

impl McpReconnect {
    /// Creates the request.
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

/// Turns a server off or on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct McpToggle {
    /// The server.
    #[serde(rename = "serverName")]
    pub server_name: String,
    /// Whether it is on.
    pub enabled: bool,
}

impl McpToggle {
    /// Creates the request.
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
