use super::HookCommon;
use inhouse_macros::Open;
use serde::Deserialize;

/// Event that fires when a settings file has changed, before the CLI reads the file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ConfigChange {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The kind of settings that changed.
    pub source: ConfigSource,
    /// The path of the settings file.
    pub file_path: Option<String>,
}

/// Kind of settings that can change while a session runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ConfigSource {
    /// Settings of the user.
    UserSettings,
    /// Settings of the project that all of its users share.
    ProjectSettings,
    /// Settings of the project that apply to this machine only.
    LocalSettings,
    /// Settings of the administrator.
    PolicySettings,
    /// A skill or a command.
    Skills,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
