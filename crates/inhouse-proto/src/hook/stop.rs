use super::event::hook_event;
use crate::message::AssistantError;
use crate::open::open_struct;

hook_event! {
    /// The model thinks that it is done.
    ///
    /// An answer that [blocks](super::HookOutput::block), or adds context, makes it go on. Nothing
    /// ends that by itself: look at `stop_hook_active`.
    pub struct Stop {
        /// Whether the model only went on because of a hook.
        pub stop_hook_active: bool,
        /// What the model said last.
        pub last_assistant_message: Option<String>,
        /// What still runs in the background.
        pub background_tasks: Option<Vec<BackgroundTask>>,
        /// What is to run at certain times.
        pub session_crons: Option<Vec<SessionCron>>,
    }
}

hook_event! {
    /// A turn ended because the API failed.
    pub struct StopFailure {
        /// How it failed.
        pub error: AssistantError,
        /// More about it.
        pub error_details: Option<String>,
        /// What the model said last.
        pub last_assistant_message: Option<String>,
    }
}

open_struct! {
    /// Something that runs in the background. Long texts are cut at 1,000 characters.
    pub struct BackgroundTask {
        /// Its id.
        pub id: String,
        /// Its kind, such as `shell` or `subagent`.
        pub kind as "type": String,
        /// Its state.
        pub status: String,
        /// What it does.
        pub description: String,
        /// The command of a shell.
        pub command: Option<String>,
        /// The kind of a subagent.
        pub agent_type: Option<String>,
        /// The MCP server of a task.
        pub server: Option<String>,
        /// The MCP tool of a task.
        pub tool: Option<String>,
        /// The name of a workflow.
        pub name: Option<String>,
    }
}

open_struct! {
    /// A prompt that is to be sent at certain times.
    pub struct SessionCron {
        /// Its id.
        pub id: String,
        /// When.
        pub schedule: String,
        /// Whether more than once.
        pub recurring: bool,
        /// The prompt, cut at 1,000 characters.
        pub prompt: String,
    }
}
