use inhouse_macros::Open;

/// The moments at which hooks run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "PascalCase")]
#[non_exhaustive]
pub enum HookEvent {
    /// Before a tool runs.
    PreToolUse,
    /// After a tool ran.
    PostToolUse,
    /// After a tool failed.
    PostToolUseFailure,
    /// After a batch of tools ran.
    PostToolBatch,
    /// The CLI has something to say to the user.
    Notification,
    /// The user sent a prompt.
    UserPromptSubmit,
    /// A slash command became a prompt.
    UserPromptExpansion,
    /// A session begins.
    SessionStart,
    /// A session ends.
    SessionEnd,
    /// The model is done.
    Stop,
    /// A turn ended in an error.
    StopFailure,
    /// A subagent begins.
    SubagentStart,
    /// A subagent is done.
    SubagentStop,
    /// Before the conversation is compacted.
    PreCompact,
    /// After the conversation was compacted.
    PostCompact,
    /// Before another model takes over.
    PreModelSwitch,
    /// After another model took over.
    PostModelSwitch,
    /// The user is asked for permission.
    PermissionRequest,
    /// Permission was denied.
    PermissionDenied,
    /// The repository is set up.
    Setup,
    /// A teammate has nothing to do.
    TeammateIdle,
    /// A task was made.
    TaskCreated,
    /// A task is done.
    TaskCompleted,
    /// An MCP server asks the user something.
    Elicitation,
    /// The user answered it.
    ElicitationResult,
    /// A settings file changed.
    ConfigChange,
    /// A worktree is made.
    WorktreeCreate,
    /// A worktree is removed.
    WorktreeRemove,
    /// A file of instructions was loaded.
    InstructionsLoaded,
    /// The working directory changed.
    CwdChanged,
    /// A file changed.
    FileChanged,
    /// A directory was added to the workspace.
    DirectoryAdded,
    /// A message is about to be shown.
    MessageDisplay,
    /// A value that this version does not know.
    Unknown(String),
}
