use super::{BackgroundTask, SessionCron};
use super::{HookCommon, HookEvent};
use serde::Deserialize;

/// A subagent begins.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct SubagentStart {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
}

impl HookEvent for SubagentStart {
    const NAME: &'static str = "SubagentStart";
}

/// A subagent thinks that it is done.
///
/// An answer that [blocks](super::HookOutput::block) makes it go on; look at
/// `stop_hook_active`, as with [`Stop`](super::Stop).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct SubagentStop {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
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

impl HookEvent for SubagentStop {
    const NAME: &'static str = "SubagentStop";
}
