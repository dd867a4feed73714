use super::event::hook_event;

hook_event! {
    /// A task was put on the list.
    pub struct TaskCreated {
        /// The task.
        pub task_id: String,
        /// What it is about.
        pub task_subject: String,
        /// More about it.
        pub task_description: Option<String>,
        /// Whose it is.
        pub teammate_name: Option<String>,
        /// The team; the CLI is about to drop it.
        pub team_name: Option<String>,
    }
}

hook_event! {
    /// A task is about to be marked as done.
    pub struct TaskCompleted {
        /// The task.
        pub task_id: String,
        /// What it is about.
        pub task_subject: String,
        /// More about it.
        pub task_description: Option<String>,
        /// Whose it was.
        pub teammate_name: Option<String>,
        /// The team; the CLI is about to drop it.
        pub team_name: Option<String>,
    }
}

hook_event! {
    /// A teammate has nothing left to do.
    pub struct TeammateIdle {
        /// Who.
        pub teammate_name: String,
        /// The team; the CLI is about to drop it.
        pub team_name: Option<String>,
    }
}
