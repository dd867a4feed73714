use inhouse_macros::Open;
use serde_json::Value;

/// A task begins: a subagent, a shell command in the background, a workflow.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct TaskStartedMessage {
    /// The task.
    pub task_id: String,
    /// What it is, in short.
    pub description: Option<String>,
    /// This run of the task; later runs sort after earlier ones.
    pub run_id: Option<String>,
    /// The tool call that started it.
    pub tool_use_id: Option<String>,
    /// The kind, such as `local_agent`, `local_bash`, `local_workflow` or `mcp_task`.
    pub task_type: Option<String>,
    /// The kind of subagent.
    pub subagent_type: Option<String>,
    /// The workflow.
    pub workflow_name: Option<String>,
    /// What a subagent was told.
    pub prompt: Option<String>,
    /// The task that started it.
    pub parent_task_id: Option<String>,
    /// Whether it runs in the background.
    pub is_backgrounded: Option<bool>,
    /// How deep it is nested; one at the top.
    pub spawn_depth: Option<u64>,
    /// Whether to leave it out of the transcript.
    pub skip_transcript: Option<bool>,
    /// Whether it is housekeeping that nobody needs to see.
    pub ambient: Option<bool>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// A task changed: put the patch over what is known of it.
///
/// The end of a task may be told only here, without a
/// [`TaskNotificationMessage`](super::TaskNotificationMessage).
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct TaskUpdatedMessage {
    /// The task.
    pub task_id: Option<String>,
    /// This run of the task.
    pub run_id: Option<String>,
    /// What changed.
    pub patch: TaskPatch,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// What changed about a task; absent members stay as they were.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct TaskPatch {
    /// How far it is.
    pub status: Option<TaskStatus>,
    /// What it is, in short.
    pub description: Option<String>,
    /// When it ended, in milliseconds of Unix time.
    pub end_time: Option<f64>,
    /// Milliseconds for which it was paused.
    pub total_paused_ms: Option<f64>,
    /// Why it failed.
    pub error: Option<String>,
    /// Whether it runs in the background.
    pub is_backgrounded: Option<bool>,
}

/// How far a task is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TaskStatus {
    /// It has not begun.
    Pending,
    /// It runs.
    Running,
    /// It is done.
    Completed,
    /// It failed.
    Failed,
    /// It was stopped; a notification says `stopped` instead.
    Killed,
    /// It is paused.
    Paused,
    /// A value that this version does not know.
    Unknown(String),
}

impl TaskStatus {
    /// Whether the task has ended.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Killed)
    }
}

/// A task made progress.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct TaskProgressMessage {
    /// The task.
    pub task_id: String,
    /// What it does now.
    pub description: Option<String>,
    /// What it has used.
    pub usage: Option<TaskUsage>,
    /// This run of the task.
    pub run_id: Option<String>,
    /// The tool call that started it.
    pub tool_use_id: Option<String>,
    /// The kind of subagent.
    pub subagent_type: Option<String>,
    /// The tool that it used last.
    pub last_tool_name: Option<String>,
    /// What it has done so far.
    pub summary: Option<String>,
    /// How far a workflow is. Not declared by the CLI.
    pub workflow_progress: Option<Value>,
    /// Whether this was sent before. Not declared by the CLI.
    pub resent: Option<Value>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// What a task has used.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct TaskUsage {
    /// Tokens.
    pub total_tokens: Option<u64>,
    /// Tool calls.
    pub tool_uses: Option<u64>,
    /// Milliseconds.
    pub duration_ms: Option<f64>,
}

/// The set of background tasks changed.
///
/// Nothing is sent when the process starts: begin with an empty set.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct BackgroundTasksChangedMessage {
    /// The tasks that there are now, all of them.
    pub tasks: Vec<BackgroundTask>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// A background task.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct BackgroundTask {
    /// The task.
    pub task_id: String,
    /// The kind, such as `local_agent` or `local_bash`.
    pub task_type: Option<String>,
    /// What it is, in short.
    pub description: Option<String>,
    /// This run of the task.
    pub run_id: Option<String>,
    /// The kind of subagent.
    pub subagent_type: Option<String>,
    /// The task that started it.
    pub parent_task_id: Option<String>,
    /// Whether it is housekeeping that nobody needs to see.
    pub ambient: Option<bool>,
}
