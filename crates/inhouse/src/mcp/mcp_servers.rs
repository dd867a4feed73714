use std::fmt;
use std::sync::Arc;

use inhouse_proto::control::outgoing::{McpSetServers, McpSetServersReply};
use serde_json::Value;

use super::{NativeServer, Server};
use crate::control::Control;
use crate::error::Result;
use crate::launch::validate_mcp_servers;
use crate::options::McpServer;
use crate::tool::ToolServer;

/// The MCP servers of a session, to be changed while it runs; see
/// [`Control::set_mcp_servers`].
#[derive(Clone, Default)]
#[must_use = "servers are set by Control::set_mcp_servers"]
pub struct McpServers {
    pub(crate) external: Vec<(String, McpServer)>,
    pub(crate) in_process: Vec<(String, Arc<dyn Server>)>,
}

impl McpServers {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a server outside of this process.
    pub fn mcp_server(mut self, name: impl Into<String>, server: McpServer) -> Self {
        self.external.push((name.into(), server));
        self
    }

    /// Adds a server of tools in this process, under its own name.
    pub fn tool_server<S: Send + Sync + 'static>(self, server: ToolServer<S>) -> Self {
        let key = server.name().to_owned();
        self.tool_server_as(key, server)
    }

    /// Adds a server of tools in this process, under another name than its own.
    pub fn tool_server_as<S: Send + Sync + 'static>(
        self,
        key: impl Into<String>,
        server: ToolServer<S>,
    ) -> Self {
        self.in_process(key.into(), Arc::new(NativeServer::new(Arc::new(server))))
    }

    pub(crate) fn in_process(mut self, key: String, server: Arc<dyn Server>) -> Self {
        self.in_process.push((key, server));
        self
    }

    fn request(&self) -> McpSetServers {
        let mut request = McpSetServers::new();
        for (name, server) in &self.external {
            request = request.server(name, server.clone().into());
        }
        for (key, server) in &self.in_process {
            request = request.server(key, in_process(key, &**server));
        }
        request
    }
}

fn in_process(key: &str, server: &dyn Server) -> Value {
    let settings = server.config().unwrap_or_default();
    let mut config = serde_json::to_value(settings).expect("settings are made of strings and JSON");
    config["type"] = "sdk".into();
    config["name"] = key.into();
    config
}

impl fmt::Debug for McpServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let external = self.external.iter().map(|(name, server)| (name, server));
        let in_process = self.in_process.iter().map(|(key, _)| (key, "in process"));
        f.debug_map().entries(external).entries(in_process).finish()
    }
}

impl Control {
    /// Replaces the MCP servers of the session: those in this process all, and of the others those
    /// that an earlier call has set.
    ///
    /// The reply tells what was added and removed, and which server failed to start. Calls that run
    /// on a server which is gone are cancelled then. A clone of a server that is there already is the
    /// same server, whose session and calls go on. Changes that are made at the same time are made one
    /// after another.
    ///
    /// # Errors
    /// `Config` when a server is not in order or two have one name, and as [`request`](Self::request).
    /// The servers in this process are those of before then.
    ///
    /// # Cancellation
    /// Dropping the future brings the servers in this process back as well. The CLI may have agreed
    /// all the same: make another change to be sure of what it knows.
    pub async fn set_mcp_servers(&self, servers: McpServers) -> Result<McpSetServersReply> {
        validate_mcp_servers(&servers)?;
        let bridge = &self.shared().bridge;
        // The CLI may ask for a new one before it answers, and for an old one until then.
        let change = bridge.change(&servers.in_process).await;
        let reply = self.request(servers.request()).await?;
        change.agreed(&servers.in_process);
        Ok(reply)
    }
}
