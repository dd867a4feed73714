use super::declare::control_request;
use crate::control::Empty;
use crate::open::open_struct;

control_request! {
    /// Stops a background task.
    ///
    /// Answered with success for an unknown task as well; the end of a task shows in the messages.
    pub struct StopTask("stop_task") -> Empty
    requires {
        /// The task.
        task_id: String = impl Into<String>,
    }
}

control_request! {
    /// Moves work from the foreground to the background.
    pub struct BackgroundTasks("background_tasks") -> BackgroundTasksReply
    accepts {
        /// The tool call to move; everything in the foreground if there is none.
        tool_use_id: String = impl Into<String>,
    }
}

open_struct! {
    /// The reply to [`BackgroundTasks`].
    pub struct BackgroundTasksReply {
        /// Whether something was moved; an absent answer counts as yes.
        pub backgrounded: Option<bool>,
    }
}

control_request! {
    /// Asks what a background shell has printed so far.
    pub struct GetTaskOutput("get_task_output") -> GetTaskOutputReply
    requires {
        /// The task.
        task_id: String = impl Into<String>,
    }
}

open_struct! {
    /// What a task has printed.
    pub struct GetTaskOutputReply {
        /// The output, or its end.
        pub output: String,
        /// How much there is in all.
        pub total_bytes: u64,
        /// Whether [`output`](Self::output) is less than that.
        pub truncated: bool,
    }
}
