use super::{HookBackgroundTask, HookCommon, SessionCron};
use serde::Deserialize;

/// Event that fires when a subagent starts.
///
/// The subagent is identified by the members `agent_id` and `agent_type` of [`HookCommon`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct SubagentStart {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
}

/// Event that fires when a subagent stops.
///
/// If an answer [blocks](super::HookOutput::block), the subagent continues. Check `stop_hook_active` to avoid an
/// endless loop, as for [`Stop`](super::Stop).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct SubagentStop {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// Whether the subagent has been continued because of an earlier answer to this event.
    pub stop_hook_active: bool,
    /// The file in which the CLI stores the conversation of the subagent.
    pub agent_transcript_path: String,
    /// Text of the last message of the subagent.
    pub last_assistant_message: Option<String>,
    /// Background tasks that are still running, of the whole session and not only of the subagent.
    pub background_tasks: Option<Vec<HookBackgroundTask>>,
    /// Scheduled prompts, of the whole session and not only of the subagent.
    pub session_crons: Option<Vec<SessionCron>>,
}
