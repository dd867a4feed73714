use inhouse_macros::Open;
use serde_json::Value;

use super::TaskUsage;

/// A task ended.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct TaskNotificationMessage {
    /// The task.
    pub task_id: String,
    /// How it ended.
    pub status: TaskNotificationStatus,
    /// The file that holds its output.
    pub output_file: Option<String>,
    /// What it came to.
    pub summary: Option<String>,
    /// This run of the task.
    pub run_id: Option<String>,
    /// The tool call that started it.
    pub tool_use_id: Option<String>,
    /// Why it ended, such as `worker_restart`.
    pub reason: Option<String>,
    /// What it used.
    pub usage: Option<TaskUsage>,
    /// Things that it points to.
    pub resource_links: Option<Vec<ResourceLink>>,
    /// Whether to leave it out of the transcript.
    pub skip_transcript: Option<bool>,
    /// Whether it is housekeeping that nobody needs to see.
    pub ambient: Option<bool>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// How a task ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TaskNotificationStatus {
    /// It is done.
    Completed,
    /// It failed.
    Failed,
    /// It was stopped; an update says `killed` instead.
    Stopped,
    /// A value that this version does not know.
    Unknown(String),
}

/// Something that the output of a task points to.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceLink {
    /// The address.
    pub uri: String,
    /// Its name.
    pub name: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Its media type.
    pub mime_type: Option<String>,
    /// Its size in bytes.
    pub size: Option<u64>,
    /// Hints of an MCP server.
    pub annotations: Option<Value>,
}
