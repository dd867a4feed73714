use super::HookCommon;
use crate::message::AssistantError;
use serde::Deserialize;

/// Event that fires when the model stops and the turn is about to end.
///
/// If an answer [blocks](super::HookOutput::block) or adds context, the model is called again. The CLI does not limit
/// the number of repetitions: check `stop_hook_active` to avoid an endless loop.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Stop {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// Whether the model has been called again because of an earlier answer to this event.
    pub stop_hook_active: bool,
    /// Text of the last message of the model.
    pub last_assistant_message: Option<String>,
    /// Tasks that are still running in the background.
    pub background_tasks: Option<Vec<HookBackgroundTask>>,
    /// Prompts that are scheduled for later.
    pub session_crons: Option<Vec<SessionCron>>,
}

/// Event that fires when a turn ended because of an API error.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct StopFailure {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The kind of error.
    pub error: AssistantError,
    /// Details of the error.
    pub error_details: Option<String>,
    /// Text of the last message of the model.
    pub last_assistant_message: Option<String>,
}

/// Task that runs in the background. Texts longer than 1,000 characters are truncated.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct HookBackgroundTask {
    /// The id of the task.
    pub id: String,
    /// The type of the task, such as `shell` or `subagent`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The status of the task.
    pub status: String,
    /// Description of the task.
    pub description: String,
    /// The command of a shell task.
    pub command: Option<String>,
    /// The type of a subagent.
    pub agent_type: Option<String>,
    /// The MCP server of a monitor or an MCP task.
    pub server: Option<String>,
    /// The MCP tool of a monitor or an MCP task.
    pub tool: Option<String>,
    /// The name of a workflow.
    pub name: Option<String>,
}

/// Prompt that is scheduled for later.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct SessionCron {
    /// The id of the scheduled prompt.
    pub id: String,
    /// Schedule as a cron expression, such as `0 9 * * *`.
    pub schedule: String,
    /// Whether the prompt is sent more than once.
    pub recurring: bool,
    /// The prompt, truncated to 1,000 characters.
    pub prompt: String,
}
