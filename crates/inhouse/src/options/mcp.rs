use std::path::PathBuf;

use super::{McpServer, Options};

#[derive(Clone, Debug, Default)]
pub(crate) struct McpOptions {
    pub(crate) servers: Vec<(String, McpServer)>,
    pub(crate) config_files: Vec<PathBuf>,
    pub(crate) strict: bool,
}

/// MCP servers outside of the host's process.
impl Options {
    /// Adds an MCP server under a name that no other server has.
    ///
    /// The model sees its tools as `mcp__<name>__<tool>`.
    #[must_use]
    pub fn mcp_server(mut self, name: impl Into<String>, server: McpServer) -> Self {
        self.mcp.servers.push((name.into(), server));
        self
    }

    /// Adds the MCP servers of a configuration file.
    ///
    /// May be combined with [`mcp_server`](Self::mcp_server), which wins where both have a server
    /// of the same name, and repeated, where the last file wins. A relative path counts from the
    /// CLI's working directory.
    #[must_use]
    pub fn mcp_config_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.mcp.config_files.push(path.into());
        self
    }

    /// Uses only the MCP servers that are given here, and none from settings or plugins.
    #[must_use]
    pub fn strict_mcp_config(mut self, strict: bool) -> Self {
        self.mcp.strict = strict;
        self
    }
}
