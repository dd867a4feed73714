use super::event::hook_event;
use super::{BackgroundTask, SessionCron};

hook_event! {
    /// A subagent begins.
    pub struct SubagentStart in a subagent {}
}

hook_event! {
    /// A subagent thinks that it is done.
    ///
    /// An answer that [blocks](super::HookOutput::block) makes it go on; look at
    /// `stop_hook_active`, as with [`Stop`](super::Stop).
    pub struct SubagentStop in a subagent {
        /// Whether it only went on because of a hook.
        pub stop_hook_active: bool,
        /// The file in which the CLI keeps its conversation.
        pub agent_transcript_path: String,
        /// What it said last.
        pub last_assistant_message: Option<String>,
        /// What still runs in the background of the whole session.
        pub background_tasks: Option<Vec<BackgroundTask>>,
        /// What is to run at certain times in the whole session.
        pub session_crons: Option<Vec<SessionCron>>,
    }
}
