use std::path::PathBuf;

use serde::Serialize;

/// A plugin that the CLI loads.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[non_exhaustive]
pub enum PluginConfig {
    /// A plugin in a local directory.
    #[non_exhaustive]
    Local {
        /// Path of the plugin's directory.
        path: PathBuf,
        /// Whether the CLI ignores the plugin's MCP servers. `None` loads them.
        #[serde(rename = "skipMcpDiscovery", skip_serializing_if = "Option::is_none")]
        skip_mcp_discovery: Option<bool>,
    },
}

impl PluginConfig {
    /// Creates a plugin that is loaded from a directory.
    #[must_use]
    pub fn local(path: impl Into<PathBuf>) -> Self {
        Self::Local {
            path: path.into(),
            skip_mcp_discovery: None,
        }
    }

    /// Makes the CLI ignore the plugin's MCP servers.
    #[must_use]
    pub fn skip_mcp_discovery(self) -> Self {
        let Self::Local { path, .. } = self;
        Self::Local {
            path,
            skip_mcp_discovery: Some(true),
        }
    }
}
