use std::path::PathBuf;

use super::Options;

#[derive(Clone, Debug, Default)]
pub(crate) struct PluginOptions {
    pub(crate) plugins: Vec<Plugin>,
    pub(crate) delivery: PluginDelivery,
}

/// Options for plugins of the session.
impl Options {
    /// Adds a plugin, by its directory, for this session.
    ///
    /// Default: only the plugins of the settings.
    ///
    /// ```
    /// use inhouse::options::{Options, Plugin};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let b = Plugin::local("/srv/plugins/b").skip_mcp_discovery(true);
    /// let cli = launch(Options::new().plugin("/srv/plugins/a").plugin(b));
    /// assert!(cli.has_arg("--plugin-dir=/srv/plugins/a"));
    /// assert!(cli.has_arg("--plugin-dir-no-mcp=/srv/plugins/b"));
    /// ```
    pub fn plugin(mut self, plugin: impl Into<Plugin>) -> Self {
        self.plugins.plugins.push(plugin.into());
        self
    }

    /// Sets how the list of plugins is passed to the CLI.
    ///
    /// Default: [`PluginDelivery::Argv`].
    ///
    /// ```
    /// use inhouse::options::{Options, PluginDelivery};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let options = Options::new().plugin("/srv/plugins/a");
    /// let cli = launch(options.plugin_delivery(PluginDelivery::Initialize));
    /// assert_eq!(cli.initialize()["plugins"][0]["path"], "/srv/plugins/a");
    /// ```
    pub fn plugin_delivery(mut self, delivery: PluginDelivery) -> Self {
        self.plugins.delivery = delivery;
        self
    }
}

/// A plugin in a local directory.
///
/// ```
/// use inhouse::options::Plugin;
///
/// assert_eq!(Plugin::from("/srv/plugins/a"), Plugin::local("/srv/plugins/a"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "add it with `Options::plugin`"]
pub struct Plugin {
    pub(crate) path: PathBuf,
    pub(crate) skip_mcp_discovery: bool,
}

impl Plugin {
    /// Creates a plugin from the directory that contains it.
    ///
    /// ```
    /// use inhouse::options::{Options, Plugin};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().plugin(Plugin::local("/srv/plugins/a")));
    /// assert!(cli.has_arg("--plugin-dir=/srv/plugins/a"));
    /// ```
    pub fn local(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            skip_mcp_discovery: false,
        }
    }

    /// Sets whether the CLI ignores the MCP servers of the plugin.
    ///
    /// Default: `false`.
    ///
    /// ```
    /// use inhouse::options::{Options, Plugin};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let plugin = Plugin::local("/srv/plugins/a").skip_mcp_discovery(true);
    /// let cli = launch(Options::new().plugin(plugin));
    /// assert!(cli.has_arg("--plugin-dir-no-mcp=/srv/plugins/a"));
    /// ```
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

/// How the list of plugins is passed to the CLI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PluginDelivery {
    /// Plugins are arguments on the command line.
    #[default]
    Argv,
    /// Plugins are in the `initialize` request, for lists that are too long for a command line.
    ///
    /// Needs CLI 2.1.261; older versions refuse to start.
    Initialize,
}
