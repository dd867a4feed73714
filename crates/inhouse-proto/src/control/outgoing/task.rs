use crate::control::ControlRequest;
use crate::control::Empty;
use inhouse_macros::Open;
use serde::Serialize;

/// Request to stop a background task.
///
/// The CLI reports success for an unknown task as well; the end of a task is reported in the message stream.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StopTask {
    /// Id of the task.
    pub task_id: String,
}

impl StopTask {
    /// Creates a request for the task with this id.
    #[must_use]
    pub fn new(task_id: impl Into<String>) -> Self {
        Self {
            task_id: task_id.into(),
        }
    }
}

impl ControlRequest for StopTask {
    const SUBTYPE: &'static str = "stop_task";
    type Reply = Empty;
}

/// Request to move work from the foreground to the background.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BackgroundTasks {
    /// Id of the tool call to move. `None` moves everything in the foreground.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
}

impl BackgroundTasks {
    /// Creates a request to move everything in the foreground.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the id of the only tool call to move.
    #[must_use]
    pub fn tool_use_id(mut self, tool_use_id: impl Into<String>) -> Self {
        self.tool_use_id = Some(tool_use_id.into());
        self
    }
}

impl ControlRequest for BackgroundTasks {
    const SUBTYPE: &'static str = "background_tasks";
    type Reply = BackgroundTasksReply;
}

/// The reply to [`BackgroundTasks`], which reports whether work was moved.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct BackgroundTasksReply {
    /// Whether work was moved; `None` counts as `true`.
    pub backgrounded: Option<bool>,
}

/// Request for the output of a background shell so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetTaskOutput {
    /// Id of the task.
    pub task_id: String,
}

impl GetTaskOutput {
    /// Creates a request for the task with this id.
    #[must_use]
    pub fn new(task_id: impl Into<String>) -> Self {
        Self {
            task_id: task_id.into(),
        }
    }
}

impl ControlRequest for GetTaskOutput {
    const SUBTYPE: &'static str = "get_task_output";
    type Reply = GetTaskOutputReply;
}

/// The reply to [`GetTaskOutput`]: the output of the task so far.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct GetTaskOutputReply {
    /// Output of the task; only its end if `truncated` is set.
    pub output: String,
    /// Size of the whole output in bytes.
    pub total_bytes: u64,
    /// Whether [`output`](Self::output) is shorter than the whole output.
    pub truncated: bool,
}
