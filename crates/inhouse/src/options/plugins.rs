use std::path::PathBuf;

use super::Options;

#[derive(Clone, Debug, Default)]
pub(crate) struct PluginOptions {
    pub(crate) plugins: Vec<Plugin>,
    pub(crate) delivery: PluginDelivery,
}

/// Plugins.
impl Options {
    /// Loads a plugin from a directory, for this session.
    #[must_use]
    pub fn plugin(mut self, plugin: impl Into<Plugin>) -> Self {
        self.plugins.plugins.push(plugin.into());
        self
    }

    /// How the list of plugins reaches the CLI.
    #[must_use]
    pub fn plugin_delivery(mut self, delivery: PluginDelivery) -> Self {
        self.plugins.delivery = delivery;
        self
    }
}

/// A plugin in a local directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plugin {
    pub(crate) path: PathBuf,
    pub(crate) skip_mcp_discovery: bool,
}

impl Plugin {
    /// The plugin in this directory.
    #[must_use]
    pub fn local(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            skip_mcp_discovery: false,
        }
    }

    /// Leaves the MCP servers of the plugin out.
    #[must_use]
    pub fn skip_mcp_discovery(mut self, skip: bool) -> Self {
        self.skip_mcp_discovery = skip;
        self
    }
}

impl<P: Into<PathBuf>> From<P> for Plugin {
    fn from(path: P) -> Self {
        Self::local(path)
    }
}

/// How the list of plugins reaches the CLI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PluginDelivery {
    /// On the command line.
    #[default]
    Argv,
    /// In the first request, for lists that are too long for a command line. Needs CLI 2.1.261; an
    /// older one refuses to start.
    Initialize,
}
