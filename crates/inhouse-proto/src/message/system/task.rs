use inhouse_macros::Open;
use serde_json::Value;

/// Message sent when a task starts: a subagent, a shell command in the background, or a workflow.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct TaskStartedMessage {
    /// The id of the task.
    pub task_id: String,
    /// Short description of the task.
    pub description: Option<String>,
    /// The id of this run of the task. The ids of later runs sort after those of earlier runs.
    pub run_id: Option<String>,
    /// The tool call that started the task.
    pub tool_use_id: Option<String>,
    /// The type of the task, such as `local_agent`, `local_bash`, `local_workflow` or `mcp_task`.
    pub task_type: Option<String>,
    /// The type of the subagent.
    pub subagent_type: Option<String>,
    /// The name of the workflow.
    pub workflow_name: Option<String>,
    /// The prompt of the subagent.
    pub prompt: Option<String>,
    /// The task that started this task.
    pub parent_task_id: Option<String>,
    /// Whether the task runs in the background.
    pub is_backgrounded: Option<bool>,
    /// Nesting depth of the task, 1 at the top level.
    pub spawn_depth: Option<u64>,
    /// Whether to omit the task from the transcript.
    pub skip_transcript: Option<bool>,
    /// Whether the task is housekeeping that does not have to be shown to the user.
    pub ambient: Option<bool>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Message sent when the state of a task changed. Merge the patch into the known state.
///
/// The end of a task may be reported only by this message, without a
/// [`TaskNotificationMessage`](super::TaskNotificationMessage).
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct TaskUpdatedMessage {
    /// The id of the task.
    pub task_id: Option<String>,
    /// The id of this run of the task.
    pub run_id: Option<String>,
    /// The members that changed.
    pub patch: TaskPatch,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Changes to the state of a task. Members that are `None` did not change.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct TaskPatch {
    /// The new status of the task.
    pub status: Option<TaskStatus>,
    /// Short description of the task.
    pub description: Option<String>,
    /// Time at which the task ended, in milliseconds since the Unix epoch.
    pub end_time: Option<f64>,
    /// Total time for which the task was paused, in milliseconds.
    pub total_paused_ms: Option<f64>,
    /// Reason why the task failed.
    pub error: Option<String>,
    /// Whether the task runs in the background.
    pub is_backgrounded: Option<bool>,
}

/// Status of a task.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TaskStatus {
    /// The task has not started yet.
    Pending,
    /// The task is running.
    Running,
    /// The task has completed.
    Completed,
    /// The task has failed.
    Failed,
    /// The task was stopped. A task notification uses the value `stopped` for this status.
    Killed,
    /// The task is paused.
    Paused,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

impl TaskStatus {
    /// Returns whether the task has ended.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Killed)
    }
}

/// Message sent when a task makes progress.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct TaskProgressMessage {
    /// The id of the task.
    pub task_id: String,
    /// Description of the current activity of the task.
    pub description: Option<String>,
    /// Resources that the task has used so far.
    pub usage: Option<TaskUsage>,
    /// The id of this run of the task.
    pub run_id: Option<String>,
    /// The tool call that started the task.
    pub tool_use_id: Option<String>,
    /// The type of the subagent.
    pub subagent_type: Option<String>,
    /// The name of the tool that the task used last.
    pub last_tool_name: Option<String>,
    /// Summary of the work so far.
    pub summary: Option<String>,
    /// Progress of a workflow. Not in the official SDK's types.
    pub workflow_progress: Option<Value>,
    /// Whether the message was sent before. Not in the official SDK's types.
    pub resent: Option<Value>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Resources that a task has used.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct TaskUsage {
    /// Number of tokens used.
    pub total_tokens: Option<u64>,
    /// Number of tool calls.
    pub tool_uses: Option<u64>,
    /// Run time of the task in milliseconds.
    pub duration_ms: Option<f64>,
}

/// Message sent when the set of background tasks changed.
///
/// No message is sent when the process starts: begin with an empty set.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct BackgroundTasksChangedMessage {
    /// All background tasks at this time. The list replaces the previous one; it is not a delta.
    pub tasks: Vec<BackgroundTask>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Task that runs in the background.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct BackgroundTask {
    /// The id of the task.
    pub task_id: String,
    /// The type of the task, such as `local_agent` or `local_bash`.
    pub task_type: Option<String>,
    /// Short description of the task.
    pub description: Option<String>,
    /// The id of this run of the task.
    pub run_id: Option<String>,
    /// The type of the subagent.
    pub subagent_type: Option<String>,
    /// The task that started this task.
    pub parent_task_id: Option<String>,
    /// Whether the task is housekeeping that does not have to be shown to the user.
    pub ambient: Option<bool>,
}
