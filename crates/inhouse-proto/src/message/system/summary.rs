use inhouse_macros::Open;
use serde_json::Value;

/// Message with a summary of a turn. Not in the official SDK's types.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PostTurnSummaryMessage {
    /// The id of the last message that the summary covers.
    pub summarizes_uuid: Option<String>,
    /// Outcome of the turn as a category.
    pub status_category: Option<String>,
    /// Description of the outcome of the turn.
    pub status_detail: Option<String>,
    /// Action that the user has to take, as the JSON value that the CLI sent.
    pub needs_action: Option<Value>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Message with a summary of a task. Not in the official SDK's types.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct TaskSummaryMessage {
    /// The summary, as the JSON value that the CLI sent.
    pub detail: Option<Value>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}
