use super::event::hook_event;
use crate::open::open_enum;

hook_event! {
    /// A settings file has changed, and is about to be read.
    pub struct ConfigChange {
        /// Which settings.
        pub source: ConfigSource,
        /// The file.
        pub file_path: Option<String>,
    }
}

open_enum! {
    /// Settings that can change while a session runs.
    pub enum ConfigSource {
        /// The user's.
        UserSettings = "user_settings",
        /// The project's, which are shared.
        ProjectSettings = "project_settings",
        /// The project's of this machine.
        LocalSettings = "local_settings",
        /// The administrator's.
        PolicySettings = "policy_settings",
        /// A skill or a command.
        Skills = "skills",
    }
}
