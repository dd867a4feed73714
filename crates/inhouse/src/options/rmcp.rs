use std::sync::Arc;

use ::rmcp::ServerHandler;

use super::Options;
use crate::mcp::RmcpServer;

impl Options {
    /// Adds a server in this process that is written with the official MCP library, under a name.
    ///
    /// `handler` makes the handler of a session: it is called once for each, so that any number of
    /// sessions may use the same options side by side. What they share, such as a database, the
    /// closure hands to each.
    ///
    /// Everything that the handler has can be used: tools, resources, completion, logging, progress,
    /// and requests of its own. See [`inhouse::rmcp`](crate::rmcp) for what the CLI makes of it.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::rmcp::ServerHandler;
    /// use inhouse::rmcp::model::{ServerCapabilities, ServerConfig};
    ///
    /// #[derive(Default)]
    /// struct Notes { /* … */ }
    ///
    /// impl ServerHandler for Notes {
    ///     fn get_info(&self) -> ServerConfig {
    ///         ServerConfig::new(ServerCapabilities::builder().enable_resources().build())
    ///     }
    /// }
    ///
    /// let options = Options::new().rmcp_server("notes", Notes::default);
    /// # let _ = options;
    /// ```
    #[must_use]
    pub fn rmcp_server<F, H>(self, name: impl Into<String>, handler: F) -> Self
    where
        F: Fn() -> H + Send + Sync + 'static,
        H: ServerHandler,
    {
        self.in_process(name.into(), Arc::new(RmcpServer::new(handler)))
    }
}
