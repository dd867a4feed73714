use super::HookCommon;
use serde::Deserialize;

/// Event that fires when a task is added to the task list.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct TaskCreated {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The id of the task.
    pub task_id: String,
    /// Subject of the task.
    pub task_subject: String,
    /// Description of the task.
    pub task_description: Option<String>,
    /// The name of the teammate that the task belongs to.
    pub teammate_name: Option<String>,
    /// The name of the team. Deprecated by the CLI.
    pub team_name: Option<String>,
}

/// Event that fires before a task is marked as completed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct TaskCompleted {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The id of the task.
    pub task_id: String,
    /// Subject of the task.
    pub task_subject: String,
    /// Description of the task.
    pub task_description: Option<String>,
    /// The name of the teammate that the task belongs to.
    pub teammate_name: Option<String>,
    /// The name of the team. Deprecated by the CLI.
    pub team_name: Option<String>,
}

/// Event that fires when a teammate has no work left.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct TeammateIdle {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The name of the teammate.
    pub teammate_name: String,
    /// The name of the team. Deprecated by the CLI.
    pub team_name: Option<String>,
}
