//! What events are about, and so what a matcher can tell apart.

use inhouse_proto::message::AssistantError;
use serde_json::Value;

use super::*;

/// An event of which a matcher can choose some occurrences.
///
/// The CLI ignores the matcher of every other event, and calls its hooks each time (2.1.325).
#[diagnostic::on_unimplemented(
    message = "the CLI ignores what a matcher says about `{Self}`",
    label = "happens or does not",
    note = "use `Matcher::any()`, and look at the event in the hook"
)]
pub trait Matched {}

/// An event about a tool, chosen by its name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not about one tool",
    label = "cannot be chosen by a tool",
    note = "`Matcher::any()` fits every event"
)]
pub trait AboutTool: Matched {}

/// An event about a subagent, chosen by its kind.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not about a subagent",
    label = "cannot be chosen by an agent",
    note = "`Matcher::any()` fits every event; `agent_id` tells whether it happened in a subagent"
)]
pub trait AboutAgent: Matched {}

/// An event of which some occurrences are chosen by one of its members.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no member to choose by",
    label = "cannot be chosen like this",
    note = "`Matcher::any()` fits every event; those about tools have `Matcher::tool`"
)]
pub trait MatchedBy: Matched {
    /// The type of that member.
    type Subject: ToString;
}

/// An event that a failing hook can hold up.
#[diagnostic::on_unimplemented(
    message = "the CLI ignores `on_failure` for `{Self}`",
    label = "goes on when a hook fails"
)]
pub trait FailsClosed {}

macro_rules! about {
    ($( $topic:ident: $( $event:ident )+; )+) => {
        $( $( impl $topic for $event {} )+ )+
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

about! {
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
    // The model from now on.
    PreModelSwitch: String;
    PostModelSwitch: String;
    // The name of the file, without its directory.
    FileChanged: String;
}
