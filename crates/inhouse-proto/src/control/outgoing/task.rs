use crate::control::ControlRequest;
use crate::control::Empty;
use inhouse_macros::Open;
use serde::Serialize;

/// Stops a background task.
///
/// Answered with success for an unknown task as well; the end of a task shows in the messages.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StopTask {
    /// The task.
    pub task_id: String,
}

impl StopTask {
    /// Creates the request.
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

/// Moves work from the foreground to the background.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BackgroundTasks {
    /// The tool call to move; everything in the foreground if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
}

impl BackgroundTasks {
    /// Creates the request without its optional members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The tool call to move; everything in the foreground if there is none.
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

/// The reply to [`BackgroundTasks`].
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct BackgroundTasksReply {
    /// Whether something was moved; an absent answer counts as yes.
    pub backgrounded: Option<bool>,
}

/// Asks what a background shell has printed so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetTaskOutput {
    /// The task.
    pub task_id: String,
}

impl GetTaskOutput {
    /// Creates the request.
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

/// What a task has printed.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct GetTaskOutputReply {
    /// The output, or its end.
    pub output: String,
    /// How much there is in all.
    pub total_bytes: u64,
    /// Whether [`output`](Self::output) is less than that.
    pub truncated: bool,
}
