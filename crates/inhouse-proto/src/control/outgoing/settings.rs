use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::control::Empty;

/// Asks for the settings that are in force.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetSettings {}

impl GetSettings {
    /// Creates the request.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ControlRequest for GetSettings {
    const SUBTYPE: &'static str = "get_settings";
    type Reply = GetSettingsReply;
}

/// The reply to [`GetSettings`].
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct GetSettingsReply {
    /// All layers merged.
    pub effective: Map<String, Value>,
    /// The layers, lowest first.
    pub sources: Vec<SettingsLayer>,
    /// What the session made of them, such as its model.
    pub applied: Option<Map<String, Value>>,
}

/// One layer of settings.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SettingsLayer {
    /// Where it comes from, such as `userSettings`.
    pub source: String,
    /// What it says.
    pub settings: Map<String, Value>,
}

/// Changes settings for this session only.
///
/// Members are merged one by one; `null` removes one. A bad value refuses all of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ApplyFlagSettings {
    /// The settings to change.
    pub settings: Map<String, Value>,
}

impl ApplyFlagSettings {
    /// Creates the request.
    #[must_use]
    pub fn new(settings: Map<String, Value>) -> Self {
        Self { settings }
    }
}

impl ControlRequest for ApplyFlagSettings {
    const SUBTYPE: &'static str = "apply_flag_settings";
    type Reply = Empty;
}

/// Writes settings to a file.
///
/// Few are allowed: `outputStyle` in the local file, `effortLevel` in the user's.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct UpdateSettings {
    /// Which file.
    pub source: SettingsFile,
    /// The settings to write.
    pub settings: Map<String, Value>,
}

impl UpdateSettings {
    /// Creates the request.
    #[must_use]
    pub fn new(source: SettingsFile, settings: Map<String, Value>) -> Self {
        Self { source, settings }
    }
}

impl ControlRequest for UpdateSettings {
    const SUBTYPE: &'static str = "update_settings";
    type Reply = Empty;
}

/// A settings file that [`UpdateSettings`] may write.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[non_exhaustive]
pub enum SettingsFile {
    /// The project's file of this machine.
    #[serde(rename = "localSettings")]
    Local,
    /// The user's file.
    #[serde(rename = "userSettings")]
    User,
    /// A value that this version does not know.
    Unknown(String),
}
