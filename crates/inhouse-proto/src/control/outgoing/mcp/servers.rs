use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::super::declare::control_request;
use crate::control::Empty;
use crate::open::open_struct;

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

control_request!(McpSetServers("mcp_set_servers") -> McpSetServersReply);

open_struct! {
    /// The reply to [`McpSetServers`].
    pub struct McpSetServersReply {
        /// Servers that are new.
        pub added: Vec<String>,
        /// Servers that are gone.
        pub removed: Vec<String>,
        /// Servers that did not start, and why.
        pub errors: BTreeMap<String, String>,
    }
}

control_request! {
    /// Connects to a server again.
    ///
    /// It fails for a server in the host's process: turn that off and on with [`McpToggle`].
    pub struct McpReconnect("mcp_reconnect") -> Empty
    requires {
        /// The server.
        server_name as "serverName": String = impl Into<String>,
    }
}

control_request! {
    /// Turns a server off or on.
    pub struct McpToggle("mcp_toggle") -> Empty
    requires {
        /// The server.
        server_name as "serverName": String = impl Into<String>,
        /// Whether it is on.
        enabled: bool,
    }
}
