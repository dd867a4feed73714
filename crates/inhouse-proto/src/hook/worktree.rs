use super::{HookCommon, HookEvent};
use serde::Deserialize;

/// A worktree is needed; the answer says [where it is](super::HookOutput::worktree).
///
/// A hook for this event takes the place of `git worktree`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct WorktreeCreate {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The name of the worktree.
    pub name: String,
}

impl HookEvent for WorktreeCreate {
    const NAME: &'static str = "WorktreeCreate";
}

/// A worktree is not needed any more.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct WorktreeRemove {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// Where it is.
    pub worktree_path: String,
}

impl HookEvent for WorktreeRemove {
    const NAME: &'static str = "WorktreeRemove";
}
