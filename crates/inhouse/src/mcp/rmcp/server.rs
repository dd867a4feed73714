use std::sync::Arc;

use ::rmcp::ServerHandler;
use inhouse_proto::control::outgoing::SdkMcpServerConfig;

use super::RmcpSession;
use crate::mcp::{CliSender, McpServers, Server, ServerSession};

/// A server written with the `rmcp` crate; `F` creates its handler.
pub(crate) struct RmcpServer<F> {
    handler: F,
}

impl<F> RmcpServer<F> {
    pub(crate) fn new(handler: F) -> Self {
        Self { handler }
    }
}

impl<F, H> Server for RmcpServer<F>
where
    F: Fn() -> H + Send + Sync + 'static,
    H: ServerHandler,
{
    /// Returns no problems: a handler cannot be validated without running it.
    fn problems(&self) -> Vec<String> {
        Vec::new()
    }

    fn config(&self) -> Option<SdkMcpServerConfig> {
        None
    }

    /// Returns the address of this value: whether two functions create the same handler is unknown.
    fn identity(&self) -> *const () {
        std::ptr::from_ref(self).cast()
    }

    fn open(&self, cli: CliSender) -> Arc<dyn ServerSession> {
        Arc::new(RmcpSession::new((self.handler)(), cli))
    }
}

impl McpServers {
    /// Adds an in-process server written with the `rmcp` crate; see
    /// [`Options::rmcp_server`](crate::Options::rmcp_server).
    ///
    /// ```
    /// use inhouse::McpServers;
    /// use inhouse::rmcp::ServerHandler;
    ///
    /// struct Notes;
    ///
    /// impl ServerHandler for Notes {}
    ///
    /// let servers = McpServers::new().rmcp_server("notes", || Notes);
    /// assert_eq!(format!("{servers:?}"), r#"{"notes": "in process"}"#);
    /// ```
    pub fn rmcp_server<F, H>(self, name: impl Into<String>, handler: F) -> Self
    where
        F: Fn() -> H + Send + Sync + 'static,
        H: ServerHandler,
    {
        self.in_process(name.into(), Arc::new(RmcpServer::new(handler)))
    }
}
