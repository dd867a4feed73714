use inhouse_macros::Open;

/// Plugins are installed.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PluginInstallMessage {
    /// How far it is.
    pub status: PluginInstallStatus,
    /// The plugin.
    pub name: Option<String>,
    /// Why it failed. The text may come from anywhere: do not trust it.
    pub error: Option<String>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// How far the installation of plugins is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PluginInstallStatus {
    /// It began.
    Started,
    /// One plugin is installed.
    Installed,
    /// One plugin could not be installed.
    Failed,
    /// All are done.
    Completed,
    /// A value that this version does not know.
    Unknown(String),
}
