use crate::hook::*;

/// Event whose hooks may answer without a decision: all events except `WorktreeCreate`.
#[diagnostic::on_unimplemented(
    message = "a hook for `{Self}` cannot pass: without its answer the event fails",
    label = "needs an answer",
    note = "`WorktreeCreate` is answered with `HookOutput::worktree(path)`"
)]
pub trait Passes: HookEvent {}

/// Event whose output has event-specific members, `hookSpecificOutput`.
///
/// For any other event, the CLI treats an output with `hookSpecificOutput` as a failure of the hook.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no event-specific output",
    label = "the CLI would treat this output as a failure of the hook"
)]
pub trait HasSpecificOutput: HookEvent {}

/// Event whose hooks can add context for the model.
#[diagnostic::on_unimplemented(
    message = "no model reads context that is added to `{Self}`",
    label = "adds no context",
    note = "context can be added to events about tools, prompts, stops, subagents, notifications, the start of a session and `PostModelSwitch`"
)]
pub trait AddsContext: HasSpecificOutput {}

/// Event whose hooks can allow or deny the action.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be allowed or denied",
    label = "nothing to allow or deny",
    note = "only `PreToolUse`, `PermissionRequest` and `PreModelSwitch` can; use `HookOutput::block` for other events"
)]
pub trait Decides: HasSpecificOutput {
    /// The encoding of the decision on the wire.
    const FORM: DecisionForm = DecisionForm::PermissionDecision;
}

/// Encoding of the decision of a hook on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecisionForm {
    /// The members `permissionDecision` and `permissionDecisionReason`.
    PermissionDecision,
    /// An object `decision` with the members `behavior` and `message`.
    DecisionObject,
}

/// Event whose hooks can change the input of a tool.
#[diagnostic::on_unimplemented(
    message = "a hook for `{Self}` cannot change the input of a tool",
    label = "changes no input",
    note = "only one for `PreToolUse` or `PermissionRequest` can"
)]
pub trait ChangesInput: Decides {}

/// Event whose hooks can block the action.
///
/// | event | effect of blocking (2.1.325) |
/// |---|---|
/// | `UserPromptSubmit`, `UserPromptExpansion` | the prompt is dropped, and the turn ends with the reason |
/// | `PostToolUse`, `PostToolUseFailure` | the model receives the reason in addition to the result |
/// | `PostToolBatch` | the turn ends |
/// | `Stop`, `SubagentStop` | the model receives the reason and continues |
/// | `PreCompact` | the conversation is not compacted |
/// | `ConfigChange` | the change has no effect |
/// | `TaskCreated`, `TaskCompleted` | the task list does not change, and the model receives the reason |
/// | `Elicitation`, `ElicitationResult` | the MCP server receives the action `decline` |
#[diagnostic::on_unimplemented(
    message = "blocking `{Self}` has no effect",
    label = "cannot be blocked",
    note = "use `HookOutput::deny` for `PreToolUse`, `PermissionRequest` and `PreModelSwitch`"
)]
pub trait Blocks: HookEvent {}

/// Event whose hooks can end the turn.
#[diagnostic::on_unimplemented(
    message = "a hook for `{Self}` cannot end the turn",
    label = "ends no turn",
    note = "one for `UserPromptSubmit`, `UserPromptExpansion`, `PreToolUse`, `PostToolUse`, `PostToolBatch` or `Stop` can"
)]
pub trait Stops: HookEvent {}

/// Event whose hooks can hide the text of a blocked prompt from the messages about it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no prompt to hide",
    label = "hides no prompt",
    note = "`UserPromptSubmit` and `UserPromptExpansion` have one"
)]
pub trait HidesPrompt: HasSpecificOutput {}

/// Event whose hooks can set the list of watched files.
#[diagnostic::on_unimplemented(
    message = "a hook for `{Self}` cannot have files watched",
    label = "watches no files",
    note = "one for `SessionStart`, `CwdChanged` or `FileChanged` can"
)]
pub trait WatchesFiles: HasSpecificOutput {}

macro_rules! capable {
    ($( $capability:ident: $( $event:ident )+; )+) => {
        $( $( impl $capability for $event {} )+ )+
    };
}

capable! {
    Passes: PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit
        UserPromptExpansion SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop
        PreCompact PostCompact PreModelSwitch PostModelSwitch PermissionRequest PermissionDenied
        Setup TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange
        WorktreeRemove InstructionsLoaded CwdChanged FileChanged DirectoryAdded MessageDisplay;
    HasSpecificOutput: PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification
        UserPromptSubmit UserPromptExpansion SessionStart Stop SubagentStart SubagentStop
        PreModelSwitch PostModelSwitch PermissionRequest PermissionDenied Setup Elicitation
        ElicitationResult WorktreeCreate CwdChanged FileChanged MessageDisplay;
    AddsContext: PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification
        UserPromptSubmit UserPromptExpansion SessionStart Stop SubagentStart SubagentStop
        PostModelSwitch Setup;
    ChangesInput: PreToolUse PermissionRequest;
    Blocks: UserPromptSubmit UserPromptExpansion PostToolUse PostToolUseFailure PostToolBatch Stop
        SubagentStop PreCompact ConfigChange TaskCreated TaskCompleted Elicitation
        ElicitationResult;
    Stops: UserPromptSubmit UserPromptExpansion PreToolUse PostToolUse PostToolBatch Stop;
    HidesPrompt: UserPromptSubmit UserPromptExpansion;
    WatchesFiles: SessionStart CwdChanged FileChanged;
}

impl Decides for PreToolUse {}
impl Decides for PreModelSwitch {}
impl Decides for PermissionRequest {
    const FORM: DecisionForm = DecisionForm::DecisionObject;
}
