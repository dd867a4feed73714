use super::{HookCommon, HookEvent};
use inhouse_macros::Open;
use serde::Deserialize;

/// A settings file has changed, and is about to be read.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ConfigChange {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// Which settings.
    pub source: ConfigSource,
    /// The file.
    pub file_path: Option<String>,
}

impl HookEvent for ConfigChange {
    const NAME: &'static str = "ConfigChange";
}

/// Settings that can change while a session runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ConfigSource {
    /// The user's.
    UserSettings,
    /// The project's, which are shared.
    ProjectSettings,
    /// The project's of this machine.
    LocalSettings,
    /// The administrator's.
    PolicySettings,
    /// A skill or a command.
    Skills,
    /// A value that this version does not know.
    Unknown(String),
}
