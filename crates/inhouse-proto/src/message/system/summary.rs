use serde_json::Value;

use crate::open::open_struct;

open_struct! {
    /// What a turn came to. Not declared by the CLI.
    pub struct PostTurnSummaryMessage ["type" = "system", "subtype" = "post_turn_summary"] {
        /// The message up to which it goes.
        pub summarizes_uuid: Option<String>,
        /// How the turn ended, as a category.
        pub status_category: Option<String>,
        /// How the turn ended, in words.
        pub status_detail: Option<String>,
        /// What the user has to do, as the CLI gives it.
        pub needs_action: Option<Value>,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}

open_struct! {
    /// What a task is about. Not declared by the CLI.
    pub struct TaskSummaryMessage ["type" = "system", "subtype" = "task_summary"] {
        /// The summary, as the CLI gives it.
        pub detail: Option<Value>,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}
