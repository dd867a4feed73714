use serde_json::{Map, Value};

use super::declare::control_request;
use crate::control::Empty;
use crate::open::{open_enum, open_struct};

control_request! {
    /// Asks for the settings that are in force.
    pub struct GetSettings("get_settings") -> GetSettingsReply
}

open_struct! {
    /// The reply to [`GetSettings`].
    pub struct GetSettingsReply {
        /// All layers merged.
        pub effective: Map<String, Value>,
        /// The layers, lowest first.
        pub sources: Vec<SettingsLayer>,
        /// What the session made of them, such as its model.
        pub applied: Option<Map<String, Value>>,
    }
}

open_struct! {
    /// One layer of settings.
    pub struct SettingsLayer {
        /// Where it comes from, such as `userSettings`.
        pub source: String,
        /// What it says.
        pub settings: Map<String, Value>,
    }
}

control_request! {
    /// Changes settings for this session only.
    ///
    /// Members are merged one by one; `null` removes one. A bad value refuses all of them.
    pub struct ApplyFlagSettings("apply_flag_settings") -> Empty
    requires {
        /// The settings to change.
        settings: Map<String, Value>,
    }
}

control_request! {
    /// Writes settings to a file.
    ///
    /// Few are allowed: `outputStyle` in the local file, `effortLevel` in the user's.
    pub struct UpdateSettings("update_settings") -> Empty
    requires {
        /// Which file.
        source: SettingsFile,
        /// The settings to write.
        settings: Map<String, Value>,
    }
}

open_enum! {
    /// A settings file that [`UpdateSettings`] may write.
    pub enum SettingsFile {
        /// The project's file of this machine.
        Local = "localSettings",
        /// The user's file.
        User = "userSettings",
    }
}
