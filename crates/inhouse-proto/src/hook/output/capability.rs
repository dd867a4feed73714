use crate::hook::*;

/// An event whose hooks may have no opinion: all but `WorktreeCreate`.
#[diagnostic::on_unimplemented(
    message = "a hook for `{Self}` cannot pass: without its answer the event fails",
    label = "has to answer",
    note = "`WorktreeCreate` is answered with `HookOutput::worktree(path)`"
)]
pub trait Passes: HookEvent {}

/// An event with an output of its own, `hookSpecificOutput`.
///
/// The CLI takes such an output for any other event for a failure of the hook.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no output of its own",
    label = "the CLI would take this for a failure of the hook"
)]
pub trait HasSpecificOutput: HookEvent {}

/// An event to which a hook can add something that the model reads.
#[diagnostic::on_unimplemented(
    message = "no model reads context that is added to `{Self}`",
    label = "adds no context",
    note = "context can be added to events about tools, prompts, stops, subagents, notifications, the start of a session and `PostModelSwitch`"
)]
pub trait AddsContext: HasSpecificOutput {}

/// An event about which a hook decides: allow or deny.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be allowed or denied",
    label = "nothing to allow or deny",
    note = "only `PreToolUse`, `PermissionRequest` and `PreModelSwitch` can; to hold up another event use `HookOutput::block`, where it has an effect"
)]
pub trait Decides: HasSpecificOutput {
    /// How the wire spells the decision.
    const FORM: DecisionForm = DecisionForm::PermissionDecision;
}

/// How the wire spells the decision of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecisionForm {
    /// As `permissionDecision` and `permissionDecisionReason`.
    PermissionDecision,
    /// As an object `decision` with a `behavior`.
    DecisionObject,
}

/// An event whose hooks can change the input of a tool.
#[diagnostic::on_unimplemented(
    message = "a hook for `{Self}` cannot change the input of a tool",
    label = "changes no input",
    note = "only one for `PreToolUse` or `PermissionRequest` can"
)]
pub trait ChangesInput: Decides {}

/// An event that a hook can hold up.
///
/// | event | what blocking does (2.1.325) |
/// |---|---|
/// | `UserPromptSubmit`, `UserPromptExpansion` | the prompt is dropped, and its turn ends with the reason |
/// | `PostToolUse`, `PostToolUseFailure` | the model reads the reason next to the result |
/// | `PostToolBatch` | the turn ends |
/// | `Stop`, `SubagentStop` | the model reads the reason and goes on |
/// | `PreCompact` | the conversation stays as it is |
/// | `ConfigChange` | the change has no effect |
/// | `TaskCreated`, `TaskCompleted` | the list stays as it is, and the model reads the reason |
/// | `Elicitation`, `ElicitationResult` | the MCP server is told that the person declined |
#[diagnostic::on_unimplemented(
    message = "blocking `{Self}` has no effect",
    label = "cannot be blocked",
    note = "use `HookOutput::deny` for `PreToolUse`, `PermissionRequest` and `PreModelSwitch`"
)]
pub trait Blocks: HookEvent {}

/// An event after which a hook can end the turn.
#[diagnostic::on_unimplemented(
    message = "a hook for `{Self}` cannot end the turn",
    label = "ends no turn",
    note = "one for `UserPromptSubmit`, `UserPromptExpansion`, `PreToolUse`, `PostToolUse`, `PostToolBatch` or `Stop` can"
)]
pub trait Stops: HookEvent {}

/// An event whose hooks can keep a prompt from being repeated when it is blocked.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no prompt to hide",
    label = "hides no prompt",
    note = "`UserPromptSubmit` and `UserPromptExpansion` have one"
)]
pub trait HidesPrompt: HasSpecificOutput {}

/// An event whose hooks can have files watched.
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
