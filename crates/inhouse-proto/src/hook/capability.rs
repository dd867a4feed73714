//! Traits that say what a hook can return for an event, and by what a matcher can select its occurrences.
//!
//! They bound the methods of [`HookOutput`] and of `inhouse::hook::Matcher`, so that an output or a matcher that the CLI
//! would ignore does not compile. Name them in code that is generic over events. Implement them for events of a newer CLI
//! that you define with [`HookEvent`]; the events of this crate implement all that apply.

use serde_json::Value;

use super::*;
use crate::message::AssistantError;

/// Event whose hooks can return an output without a decision: all events except `WorktreeCreate`.
#[diagnostic::on_unimplemented(
    message = "a hook for `{Self}` must return a decision",
    label = "the event fails without a decision",
    note = "for `WorktreeCreate`, return `HookOutput::worktree(path)`"
)]
pub trait Passes: HookEvent {}

/// Event whose output has event-specific members, `hookSpecificOutput`.
///
/// For any other event, the CLI treats an output with `hookSpecificOutput` as a failure of the hook.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no event-specific output",
    label = "the CLI treats this output as a failure of the hook"
)]
pub trait HasSpecificOutput: HookEvent {}

/// Event whose hooks can add context for the model.
#[diagnostic::on_unimplemented(
    message = "a hook for `{Self}` cannot add context",
    label = "the CLI passes no context to the model",
    note = "context can be added to events about tools, prompts, stops, subagents, notifications, the start of a session and `PostModelSwitch`"
)]
pub trait AddsContext: HasSpecificOutput {}

/// Event whose hooks can allow or deny the action.
#[diagnostic::on_unimplemented(
    message = "a hook for `{Self}` cannot allow or deny",
    label = "the CLI ignores the decision",
    note = "only hooks for `PreToolUse`, `PermissionRequest` and `PreModelSwitch` can; for other events, use `HookOutput::block` if it is available"
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
    label = "the CLI ignores the input",
    note = "only hooks for `PreToolUse` and `PermissionRequest` can"
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
    message = "a hook for `{Self}` cannot block",
    label = "the CLI does not block the action",
    note = "use `HookOutput::deny` for `PreToolUse`, `PermissionRequest` and `PreModelSwitch`"
)]
pub trait Blocks: HookEvent {}

/// Event whose hooks can end the turn.
#[diagnostic::on_unimplemented(
    message = "a hook for `{Self}` cannot end the turn",
    label = "the CLI does not end the turn",
    note = "only hooks for `UserPromptSubmit`, `UserPromptExpansion`, `PreToolUse`, `PostToolUse`, `PostToolBatch` and `Stop` can"
)]
pub trait Stops: HookEvent {}

/// Event whose hooks can hide the text of a blocked prompt from the messages about it.
#[diagnostic::on_unimplemented(
    message = "a hook for `{Self}` cannot hide a prompt",
    label = "the event has no prompt",
    note = "only hooks for `UserPromptSubmit` and `UserPromptExpansion` can"
)]
pub trait HidesPrompt: HasSpecificOutput {}

/// Event whose hooks can set the list of watched files.
#[diagnostic::on_unimplemented(
    message = "a hook for `{Self}` cannot set the watched files",
    label = "the CLI ignores the paths",
    note = "only hooks for `SessionStart`, `CwdChanged` and `FileChanged` can"
)]
pub trait WatchesFiles: HasSpecificOutput {}

/// Event whose occurrences a matcher can select.
///
/// The CLI ignores the matcher of every other event and calls its hooks each time (2.1.325).
#[diagnostic::on_unimplemented(
    message = "a matcher cannot select occurrences of `{Self}`",
    label = "the CLI ignores the matcher",
    note = "use `Matcher::any()`, and inspect the event in the hook"
)]
pub trait Matched {}

/// Event about a tool call, selected by the name of the tool.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not about a tool call",
    label = "cannot be selected by a tool",
    note = "`Matcher::any()` is available for every event"
)]
pub trait AboutTool: Matched {}

/// Event about a subagent, selected by the type of the agent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not about a subagent",
    label = "cannot be selected by an agent",
    note = "`Matcher::any()` is available for every event; the field `agent_id` says whether it fired in a subagent"
)]
pub trait AboutAgent: Matched {}

/// Event whose occurrences are selected by one of its fields.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not selected by one of its fields",
    label = "cannot be selected by a value",
    note = "`Matcher::any()` is available for every event, and `Matcher::tool` for events about tools"
)]
pub trait MatchedBy: Matched {
    /// The type of the field.
    type Subject: ToString;
}

/// Event that the CLI can block when a hook fails.
#[diagnostic::on_unimplemented(
    message = "the CLI ignores `on_failure` for `{Self}`",
    label = "continues when a hook fails"
)]
pub trait FailsClosed {}

/// Implements marker traits for the listed events.
macro_rules! impl_for {
    ($( $capability:ident: $( $event:ident )+; )+) => {
        $( $( impl $capability for $event {} )+ )+
    };
}

// `Value` is the input of a hook for an event that has no type.
impl_for! {
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
    Matched: PreToolUse PostToolUse PostToolUseFailure PermissionRequest PermissionDenied
        SubagentStart SubagentStop Value;
    AboutTool: PreToolUse PostToolUse PostToolUseFailure PermissionRequest PermissionDenied;
    AboutAgent: SubagentStart SubagentStop;
    FailsClosed: PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification
        UserPromptSubmit UserPromptExpansion SessionStart SessionEnd StopFailure SubagentStart
        PreCompact PostCompact PreModelSwitch PostModelSwitch PermissionRequest PermissionDenied
        Setup TaskCreated Elicitation ElicitationResult ConfigChange WorktreeCreate WorktreeRemove
        InstructionsLoaded CwdChanged FileChanged DirectoryAdded MessageDisplay Value;
}

impl Decides for PreToolUse {}
impl Decides for PreModelSwitch {}
impl Decides for PermissionRequest {
    const FORM: DecisionForm = DecisionForm::DecisionObject;
}

/// Implements [`MatchedBy`] for events, each with the type of the field.
macro_rules! matched_by {
    ($( $event:ident: $subject:ty; )+) => {
        $(
            impl Matched for $event {}
            impl MatchedBy for $event {
                type Subject = $subject;
            }
        )+
    };
}

matched_by! {
    SessionStart: SessionSource;
    SessionEnd: SessionEndReason;
    Setup: SetupTrigger;
    PreCompact: CompactTrigger;
    PostCompact: CompactTrigger;
    ConfigChange: ConfigSource;
    InstructionsLoaded: LoadReason;
    DirectoryAdded: DirectorySource;
    StopFailure: AssistantError;
    // The type of the notification.
    Notification: String;
    // The name of the command.
    UserPromptExpansion: String;
    // The name of the MCP server.
    Elicitation: String;
    ElicitationResult: String;
    // The new model.
    PreModelSwitch: String;
    PostModelSwitch: String;
    // The name of the file, without its directory.
    FileChanged: String;
}
