use super::{HookCommon, HookEvent};
use serde::Deserialize;

/// A task was put on the list.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct TaskCreated {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
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

impl HookEvent for TaskCreated {
    const NAME: &'static str = "TaskCreated";
}

/// A task is about to be marked as done.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct TaskCompleted {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
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

impl HookEvent for TaskCompleted {
    const NAME: &'static str = "TaskCompleted";
}

/// A teammate has nothing left to do.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct TeammateIdle {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// Who.
    pub teammate_name: String,
    /// The team; the CLI is about to drop it.
    pub team_name: Option<String>,
}

impl HookEvent for TeammateIdle {
    const NAME: &'static str = "TeammateIdle";
}
