use crate::open::open_enum;

open_enum! {
    /// The moments at which hooks run.
    pub enum HookEvent {
        /// Before a tool runs.
        PreToolUse = "PreToolUse",
        /// After a tool ran.
        PostToolUse = "PostToolUse",
        /// After a tool failed.
        PostToolUseFailure = "PostToolUseFailure",
        /// After a batch of tools ran.
        PostToolBatch = "PostToolBatch",
        /// The CLI has something to say to the user.
        Notification = "Notification",
        /// The user sent a prompt.
        UserPromptSubmit = "UserPromptSubmit",
        /// A slash command became a prompt.
        UserPromptExpansion = "UserPromptExpansion",
        /// A session begins.
        SessionStart = "SessionStart",
        /// A session ends.
        SessionEnd = "SessionEnd",
        /// The model is done.
        Stop = "Stop",
        /// A turn ended in an error.
        StopFailure = "StopFailure",
        /// A subagent begins.
        SubagentStart = "SubagentStart",
        /// A subagent is done.
        SubagentStop = "SubagentStop",
        /// Before the conversation is compacted.
        PreCompact = "PreCompact",
        /// After the conversation was compacted.
        PostCompact = "PostCompact",
        /// Before another model takes over.
        PreModelSwitch = "PreModelSwitch",
        /// After another model took over.
        PostModelSwitch = "PostModelSwitch",
        /// The user is asked for permission.
        PermissionRequest = "PermissionRequest",
        /// Permission was denied.
        PermissionDenied = "PermissionDenied",
        /// The repository is set up.
        Setup = "Setup",
        /// A teammate has nothing to do.
        TeammateIdle = "TeammateIdle",
        /// A task was made.
        TaskCreated = "TaskCreated",
        /// A task is done.
        TaskCompleted = "TaskCompleted",
        /// An MCP server asks the user something.
        Elicitation = "Elicitation",
        /// The user answered it.
        ElicitationResult = "ElicitationResult",
        /// A settings file changed.
        ConfigChange = "ConfigChange",
        /// A worktree is made.
        WorktreeCreate = "WorktreeCreate",
        /// A worktree is removed.
        WorktreeRemove = "WorktreeRemove",
        /// A file of instructions was loaded.
        InstructionsLoaded = "InstructionsLoaded",
        /// The working directory changed.
        CwdChanged = "CwdChanged",
        /// A file changed.
        FileChanged = "FileChanged",
        /// A directory was added to the workspace.
        DirectoryAdded = "DirectoryAdded",
        /// A message is about to be shown.
        MessageDisplay = "MessageDisplay",
    }
}
