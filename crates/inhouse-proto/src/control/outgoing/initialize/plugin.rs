use std::path::PathBuf;

use serde::Serialize;

/// A plugin to load.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Plugin {
    /// A plugin in a directory.
    #[non_exhaustive]
    Local {
        /// The directory.
        path: PathBuf,
        /// Whether its MCP servers are left alone.
        #[serde(rename = "skipMcpDiscovery", skip_serializing_if = "Option::is_none")]
        skip_mcp_discovery: Option<bool>,
    },
}

impl Plugin {
    /// A plugin in a directory.
    #[must_use]
    pub fn local(path: impl Into<PathBuf>) -> Self {
        Self::Local {
            path: path.into(),
            skip_mcp_discovery: None,
        }
    }

    /// Leaves the plugin's MCP servers alone.
    #[must_use]
    pub fn skip_mcp_discovery(self) -> Self {
        let Self::Local { path, .. } = self;
        Self::Local {
            path,
            skip_mcp_discovery: Some(true),
        }
    }
}
