use std::fmt;
use std::sync::Arc;

use super::Options;
use crate::mcp::{NativeServer, Server};
use crate::tool::ToolServer;

#[derive(Clone, Default)]
pub(crate) struct InProcessOptions {
    pub(crate) servers: Vec<(String, Arc<dyn Server>)>,
}

impl fmt::Debug for InProcessOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys = self.servers.iter().map(|(key, _)| key);
        f.debug_list().entries(keys).finish()
    }
}

/// MCP servers in the host's process.
impl Options {
    /// Adds a server of tools under its own name.
    ///
    /// Only its name and the descriptions of its tools reach the CLI; the tools stay here. The same
    /// server may be used by any number of sessions at once.
    #[must_use]
    pub fn tool_server<S: Send + Sync + 'static>(self, server: ToolServer<S>) -> Self {
        let key = server.name().to_owned();
        self.tool_server_as(key, server)
    }

    /// Adds a server of tools under another name than its own.
    #[must_use]
    pub fn tool_server_as<S: Send + Sync + 'static>(
        self,
        key: impl Into<String>,
        server: ToolServer<S>,
    ) -> Self {
        self.in_process(key.into(), Arc::new(NativeServer::new(Arc::new(server))))
    }

    pub(crate) fn in_process(mut self, key: String, server: Arc<dyn Server>) -> Self {
        self.in_process.servers.push((key, server));
        self
    }
}
