use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::control::Empty;

/// Request for the settings that are in effect.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetSettings {}

impl GetSettings {
    /// Creates a request without members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ControlRequest for GetSettings {
    const SUBTYPE: &'static str = "get_settings";
    type Reply = GetSettingsReply;
}

/// The reply to [`GetSettings`]: the settings, merged and by source.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct GetSettingsReply {
    /// Settings of all layers, merged.
    pub effective: Map<String, Value>,
    /// Layers of settings, lowest precedence first.
    pub sources: Vec<SettingsLayer>,
    /// Values that the session derived from the settings, such as its model.
    pub applied: Option<Map<String, Value>>,
}

/// One layer of settings, from one source.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SettingsLayer {
    /// Source of the layer, such as `userSettings`.
    pub source: String,
    /// Settings that the layer contains.
    pub settings: Map<String, Value>,
}

/// Request to change settings for this session only.
///
/// Top-level members are merged one by one; `null` removes a member. One invalid value rejects the whole request.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ApplyFlagSettings {
    /// Settings to change, by name.
    pub settings: Map<String, Value>,
}

impl ApplyFlagSettings {
    /// Creates a request with the settings to change.
    #[must_use]
    pub fn new(settings: Map<String, Value>) -> Self {
        Self { settings }
    }
}

impl ControlRequest for ApplyFlagSettings {
    const SUBTYPE: &'static str = "apply_flag_settings";
    type Reply = Empty;
}

/// Request to write settings to a file.
///
/// The CLI allows few settings: `outputStyle` in the local file, `effortLevel` in the user's file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct UpdateSettings {
    /// The settings file to write.
    pub source: SettingsFile,
    /// Settings to write, by name.
    pub settings: Map<String, Value>,
}

impl UpdateSettings {
    /// Creates a request to write settings to the file.
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
    /// The project's settings file for this machine.
    #[serde(rename = "localSettings")]
    Local,
    /// The settings file of the user.
    #[serde(rename = "userSettings")]
    User,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
