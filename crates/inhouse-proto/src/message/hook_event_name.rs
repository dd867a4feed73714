use inhouse_macros::Open;

/// The name of an event that hooks can run on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "PascalCase")]
#[non_exhaustive]
pub enum HookEventName {
    /// Runs before a tool is executed.
    PreToolUse,
    /// Runs after a tool was executed.
    PostToolUse,
    /// Runs after a tool failed.
    PostToolUseFailure,
    /// Runs once per batch of tool calls, after all of them have finished.
    PostToolBatch,
    /// Runs when the CLI notifies the user.
    Notification,
    /// Runs when the user submits a prompt.
    UserPromptSubmit,
    /// Runs when a slash command or an MCP prompt is expanded to a prompt.
    UserPromptExpansion,
    /// Runs when a session starts.
    SessionStart,
    /// Runs when a session ends.
    SessionEnd,
    /// Runs when the model has finished its answer.
    Stop,
    /// Runs when a turn ended in an error.
    StopFailure,
    /// Runs when a subagent starts.
    SubagentStart,
    /// Runs when a subagent has finished.
    SubagentStop,
    /// Runs before the conversation is compacted.
    PreCompact,
    /// Runs after the conversation was compacted.
    PostCompact,
    /// Runs before the session switches to another model.
    PreModelSwitch,
    /// Runs after the session switched to another model.
    PostModelSwitch,
    /// Runs when the user is asked for permission.
    PermissionRequest,
    /// Runs when permission for a tool call was denied.
    PermissionDenied,
    /// Runs when the repository is set up or maintained.
    Setup,
    /// Runs when a teammate has no work left.
    TeammateIdle,
    /// Runs when a task was created.
    TaskCreated,
    /// Runs when a task was completed.
    TaskCompleted,
    /// Runs when an MCP server requests input from the user.
    Elicitation,
    /// Runs when the user has answered an elicitation.
    ElicitationResult,
    /// Runs when a settings file or a skill changed.
    ConfigChange,
    /// Runs when a worktree is created.
    WorktreeCreate,
    /// Runs when a worktree is removed.
    WorktreeRemove,
    /// Runs when an instructions file was loaded.
    InstructionsLoaded,
    /// Runs when the working directory changed.
    CwdChanged,
    /// Runs when a watched file changed.
    FileChanged,
    /// Runs when a directory was added to the workspace.
    DirectoryAdded,
    /// Runs when a message is about to be displayed.
    MessageDisplay,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
