use super::HookCommon;
use serde::Deserialize;

/// Event that fires when the CLI needs a worktree.
///
/// A hook for this event replaces `git worktree`: it creates the worktree and returns [its
/// path](super::HookOutput::worktree).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct WorktreeCreate {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The name of the worktree.
    pub name: String,
}

/// Event that fires when a worktree is no longer needed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct WorktreeRemove {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The path of the worktree.
    pub worktree_path: String,
}
