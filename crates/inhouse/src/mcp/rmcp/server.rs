use std::sync::Arc;

use ::rmcp::ServerHandler;
use inhouse_proto::control::outgoing::SdkMcpServerConfig;

use super::RmcpSession;
use crate::mcp::{Link, McpServers, Server, ServerSession};

/// A server written with the official MCP library: how to make its handler.
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
    /// Nothing can be known of a handler without running it.
    fn problems(&self) -> Vec<String> {
        Vec::new()
    }

    fn config(&self) -> Option<SdkMcpServerConfig> {
        None
    }

    /// Its own: what the function makes is not known, and so neither is whether another makes the same.
    fn identity(&self) -> *const () {
        std::ptr::from_ref(self).cast()
    }

    fn open(&self, link: Link) -> Arc<dyn ServerSession> {
        Arc::new(RmcpSession::new((self.handler)(), link))
    }
}

impl McpServers {
    /// Adds a server in this process that is written with the official MCP library; see
    /// [`Options::rmcp_server`](crate::Options::rmcp_server).
    pub fn rmcp_server<F, H>(self, name: impl Into<String>, handler: F) -> Self
    where
        F: Fn() -> H + Send + Sync + 'static,
        H: ServerHandler,
    {
        self.in_process(name.into(), Arc::new(RmcpServer::new(handler)))
    }
}
