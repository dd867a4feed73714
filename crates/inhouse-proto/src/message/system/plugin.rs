use crate::open::{open_enum, open_struct};

open_struct! {
    /// Plugins are installed.
    pub struct PluginInstallMessage ["type" = "system", "subtype" = "plugin_install"] {
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
}

open_enum! {
    /// How far the installation of plugins is.
    pub enum PluginInstallStatus {
        /// It began.
        Started = "started",
        /// One plugin is installed.
        Installed = "installed",
        /// One plugin could not be installed.
        Failed = "failed",
        /// All are done.
        Completed = "completed",
    }
}
