use inhouse_macros::Open;
use serde_json::Value;

use super::TaskUsage;

/// Message sent when a task has ended.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct TaskNotificationMessage {
    /// The id of the task.
    pub task_id: String,
    /// Outcome of the task.
    pub status: TaskNotificationStatus,
    /// The file that holds the output of the task.
    pub output_file: Option<String>,
    /// Summary of the outcome.
    pub summary: Option<String>,
    /// The id of this run of the task.
    pub run_id: Option<String>,
    /// The tool call that started the task.
    pub tool_use_id: Option<String>,
    /// Reason why the task ended, such as `worker_restart`.
    pub reason: Option<String>,
    /// Resources that the task used.
    pub usage: Option<TaskUsage>,
    /// Resources that the output of the task links to.
    pub resource_links: Option<Vec<TaskResourceLink>>,
    /// Whether to omit the task from the transcript.
    pub skip_transcript: Option<bool>,
    /// Whether the task is housekeeping that does not have to be shown to the user.
    pub ambient: Option<bool>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Outcome of a task.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TaskNotificationStatus {
    /// The task has completed.
    Completed,
    /// The task has failed.
    Failed,
    /// The task was stopped. A task update uses the value `killed` for this status.
    Stopped,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Resource that the output of a task links to.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TaskResourceLink {
    /// The URI of the resource.
    pub uri: String,
    /// The name of the resource.
    pub name: Option<String>,
    /// The title of the resource.
    pub title: Option<String>,
    /// Description of the resource.
    pub description: Option<String>,
    /// The media type of the resource.
    pub mime_type: Option<String>,
    /// Size of the resource in bytes.
    pub size: Option<u64>,
    /// Annotations of the MCP server, as JSON.
    pub annotations: Option<Value>,
}
