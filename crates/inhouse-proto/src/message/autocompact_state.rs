use serde_json::Value;

use crate::open::open_struct;

open_struct! {
    /// How near the CLI is to compacting the conversation by itself.
    ///
    /// Not part of the CLI's declared messages: its value has no known shape.
    pub struct AutocompactStateMessage ["type" = "autocompact_state"] {
        /// The state, as the CLI gives it.
        pub value: Option<Value>,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}
