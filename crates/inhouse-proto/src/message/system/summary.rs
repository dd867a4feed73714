use inhouse_macros::Open;
use serde_json::Value;

/// What a turn came to. Not declared by the CLI.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PostTurnSummaryMessage {
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

/// What a task is about. Not declared by the CLI.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct TaskSummaryMessage {
    /// The summary, as the CLI gives it.
    pub detail: Option<Value>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}
