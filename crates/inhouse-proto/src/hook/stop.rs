use super::{HookCommon, HookEvent};
use crate::message::AssistantError;
use serde::Deserialize;

/// The model thinks that it is done.
///
/// An answer that [blocks](super::HookOutput::block), or adds context, makes it go on. Nothing
/// ends that by itself: look at `stop_hook_active`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Stop {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// Whether the model only went on because of a hook.
    pub stop_hook_active: bool,
    /// What the model said last.
    pub last_assistant_message: Option<String>,
    /// What still runs in the background.
    pub background_tasks: Option<Vec<BackgroundTask>>,
    /// What is to run at certain times.
    pub session_crons: Option<Vec<SessionCron>>,
}

impl HookEvent for Stop {
    const NAME: &'static str = "Stop";
}

/// A turn ended because the API failed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct StopFailure {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// How it failed.
    pub error: AssistantError,
    /// More about it.
    pub error_details: Option<String>,
    /// What the model said last.
    pub last_assistant_message: Option<String>,
}

impl HookEvent for StopFailure {
    const NAME: &'static str = "StopFailure";
}

/// Something that runs in the background. Long texts are cut at 1,000 characters.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct BackgroundTask {
    /// Its id.
    pub id: String,
    /// Its kind, such as `shell` or `subagent`.
    #[serde(rename = "type")]
    pub kind: String,
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

/// A prompt that is to be sent at certain times.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
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
