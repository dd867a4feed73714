use serde_json::Value;

use crate::open::open_struct;

open_struct! {
    /// Something that the CLI put beside the conversation, such as the words of a hook.
    ///
    /// Seen where a deferred tool call goes on after the session was resumed (2.1.325).
    pub struct AttachmentMessage ["type" = "attachment"] {
        /// What it is, told apart by its `type`.
        pub attachment: Value,
        /// The tool call of the subagent to which it belongs.
        pub parent_tool_use_id: Option<String>,
        /// When.
        pub timestamp: Option<String>,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}
