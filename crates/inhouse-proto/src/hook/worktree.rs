use super::event::hook_event;

hook_event! {
    /// A worktree is needed; the answer says [where it is](super::HookOutput::worktree).
    ///
    /// A hook for this event takes the place of `git worktree`.
    pub struct WorktreeCreate {
        /// The name of the worktree.
        pub name: String,
    }
}

hook_event! {
    /// A worktree is not needed any more.
    pub struct WorktreeRemove {
        /// Where it is.
        pub worktree_path: String,
    }
}
