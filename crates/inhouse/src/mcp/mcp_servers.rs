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

/// A set of MCP servers for [`Control::set_mcp_servers`], which replaces those of a running session.
#[derive(Clone, Default)]
#[must_use = "servers are set by Control::set_mcp_servers"]
pub struct McpServers {
    pub(crate) external: Vec<(String, McpServer)>,
    pub(crate) in_process: Vec<(String, Arc<dyn Server>)>,
}

impl McpServers {
    /// Creates an empty set.
    ///
    /// ```
    /// use inhouse::McpServers;
    ///
    /// assert_eq!(format!("{:?}", McpServers::new()), "{}");
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a server outside of this process: a program or an HTTP address.
    ///
    /// ```
    /// use inhouse::McpServers;
    /// use inhouse::options::McpServer;
    ///
    /// let servers = McpServers::new()
    ///     .mcp_server("notes", McpServer::stdio("notes-mcp"))
    ///     .mcp_server("search", McpServer::http("https://mcp.example.com/"));
    /// let shown = format!("{servers:?}");
    /// assert!(shown.contains("notes") && shown.contains("search"));
    /// ```
    pub fn mcp_server(mut self, name: impl Into<String>, server: McpServer) -> Self {
        self.external.push((name.into(), server));
        self
    }

    /// Adds an in-process server under its own name.
    ///
    /// ```
    /// use inhouse::McpServers;
    /// use inhouse::tool::ToolServer;
    ///
    /// let servers = McpServers::new().tool_server(ToolServer::new("calc"));
    /// assert_eq!(format!("{servers:?}"), r#"{"calc": "in process"}"#);
    /// ```
    pub fn tool_server<S: Send + Sync + 'static>(self, server: ToolServer<S>) -> Self {
        let key = server.name().to_owned();
        self.tool_server_as(key, server)
    }

    /// Adds an in-process server under another name than its own.
    ///
    /// ```
    /// use inhouse::McpServers;
    /// use inhouse::tool::ToolServer;
    ///
    /// let calc = ToolServer::new("calc");
    /// let servers = McpServers::new()
    ///     .tool_server_as("first", calc.clone())
    ///     .tool_server_as("second", calc);
    /// assert_eq!(format!("{servers:?}"), r#"{"first": "in process", "second": "in process"}"#);
    /// ```
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
            request = request.server(key, sdk_config(key, &**server));
        }
        request
    }
}

fn sdk_config(key: &str, server: &dyn Server) -> Value {
    let config = server.config().unwrap_or_default();
    let mut config = serde_json::to_value(config).expect("a config consists of strings and JSON");
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
    /// Replaces the MCP servers of the session: all in-process servers, and those external servers
    /// that an earlier call of this method has set.
    ///
    /// The reply lists the servers that were added, removed, or failed to start. Running calls of
    /// removed servers are cancelled. A clone of a server that is already part of the session keeps
    /// its MCP session and its calls. Concurrent changes are made one after another.
    ///
    /// ```
    /// use inhouse::tool::{Tool, ToolServer};
    /// use inhouse::{McpServers, Options};
    /// use inhouse_testkit::FakeCli;
    /// use serde_json::json;
    ///
    /// # inhouse_testkit::run(async {
    /// let clock = ToolServer::new("clock").tool(Tool::new("now", "The time", async || "noon"));
    /// FakeCli::play(
    ///     Options::new(),
    ///     async |client| {
    ///         let servers = McpServers::new().tool_server(clock);
    ///         let reply = client.control().set_mcp_servers(servers).await?;
    ///         assert_eq!(reply.added, ["clock"]);
    ///         Ok(())
    ///     },
    ///     async |cli| {
    ///         let request = cli.expect_request("mcp_set_servers").await;
    ///         assert_eq!(request.body()["servers"]["clock"]["type"], "sdk");
    ///         let reply = json!({"added": ["clock"], "removed": [], "errors": {}});
    ///         request.succeed(reply).await;
    ///         assert_eq!(cli.call_tool("clock", "now", json!({})).await.all_text(), "noon");
    ///     },
    /// )
    /// .await;
    /// # });
    /// ```
    ///
    /// # Errors
    /// `Config` if a server is invalid or two have one name, and the errors of
    /// [`request`](Self::request). The in-process servers then stay as they were.
    ///
    /// # Cancellation
    /// Dropping the future restores the in-process servers. The CLI may have accepted the change
    /// nevertheless: make another one to be sure of its state.
    pub async fn set_mcp_servers(&self, servers: McpServers) -> Result<McpSetServersReply> {
        validate_mcp_servers(&servers)?;
        let bridge = &self.shared().bridge;
        // Both sets are served until the reply: the CLI may contact a new server before it replies, and
        // an old one until then.
        let change = bridge.change(&servers.in_process).await;
        let reply = self.request(servers.request()).await?;
        change.commit(&servers.in_process);
        Ok(reply)
    }
}
