use inhouse_macros::Open;

/// Message that reports the progress of the installation of plugins.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PluginInstallMessage {
    /// Progress of the installation.
    pub status: PluginInstallStatus,
    /// The name of the plugin.
    pub name: Option<String>,
    /// Reason why the installation failed. The text may come from an untrusted source.
    pub error: Option<String>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Progress of the installation of plugins.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PluginInstallStatus {
    /// The installation was started.
    Started,
    /// A plugin was installed.
    Installed,
    /// A plugin could not be installed.
    Failed,
    /// All plugins have been processed.
    Completed,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
