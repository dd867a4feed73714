//! Traits that say what a matcher can select an event by and what a hook can answer to it.
//!
//! They bound the methods of [`Matcher`] and [`HookOutput`], so that a matcher or an
//! answer that the CLI would ignore does not compile. You need to name them only in code that is
//! generic over events, and to implement them only for events of a newer CLI that you type yourself
//! with [`HookEvent`]. The events of this crate have all that apply.

use inhouse_proto::message::AssistantError;
use serde_json::Value;

use super::*;

pub use inhouse_proto::hook::{
    AddsContext, Blocks, ChangesInput, Decides, DecisionForm, HasSpecificOutput, HidesPrompt,
    Passes, Stops, WatchesFiles,
};

/// An event whose occurrences a matcher can select.
///
/// The CLI ignores the matcher of every other event and calls its hooks each time (2.1.325).
#[diagnostic::on_unimplemented(
    message = "the CLI ignores a matcher for `{Self}`",
    label = "has nothing to match",
    note = "use `Matcher::any()`, and look at the event in the hook"
)]
pub trait Matched {}

/// An event about a tool call, selected by the name of the tool.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not about a tool call",
    label = "cannot be selected by a tool",
    note = "`Matcher::any()` fits every event"
)]
pub trait AboutTool: Matched {}

/// An event about a subagent, selected by the kind of the agent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not about a subagent",
    label = "cannot be selected by an agent",
    note = "`Matcher::any()` fits every event; `agent_id` says whether it happened in a subagent"
)]
pub trait AboutAgent: Matched {}

/// An event whose occurrences are selected by one of its fields.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no field to select by",
    label = "cannot be selected like this",
    note = "`Matcher::any()` fits every event; those about tools have `Matcher::tool`"
)]
pub trait MatchedBy: Matched {
    /// The type of the field.
    type Subject: ToString;
}

/// An event that a failing hook can block.
#[diagnostic::on_unimplemented(
    message = "the CLI ignores `on_failure` for `{Self}`",
    label = "continues when a hook fails"
)]
pub trait FailsClosed {}

macro_rules! impl_for {
    ($( $capability:ident: $( $event:ident )+; )+) => {
        $( $( impl $capability for $event {} )+ )+
    };
}

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

impl_for! {
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
