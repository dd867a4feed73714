use crate::message::HookEventName;
use inhouse_macros::Open;

/// Message sent when a hook starts.
///
/// Hooks for `SessionStart` and `Setup` are always reported, even before the response to `initialize`. All other hooks
/// are reported only if hook events were requested (`--include-hook-events`).
///
/// Only command hooks are reported: callbacks of the host produce no such message (2.1.325).
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct HookStartedMessage {
    /// The id of this run of the hook.
    pub hook_id: String,
    /// The name of the hook.
    pub hook_name: Option<String>,
    /// The event that triggered the hook.
    pub hook_event: Option<HookEventName>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Message sent when a running hook printed output.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct HookProgressMessage {
    /// The id of this run of the hook.
    pub hook_id: String,
    /// The name of the hook.
    pub hook_name: Option<String>,
    /// The event that triggered the hook.
    pub hook_event: Option<HookEventName>,
    /// Text that the hook wrote to its standard output.
    pub stdout: Option<String>,
    /// Text that the hook wrote to its standard error.
    pub stderr: Option<String>,
    /// Standard output and standard error combined.
    pub output: Option<String>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Message sent when a hook has finished.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct HookResponseMessage {
    /// The id of this run of the hook.
    pub hook_id: String,
    /// The name of the hook.
    pub hook_name: Option<String>,
    /// The event that triggered the hook.
    pub hook_event: Option<HookEventName>,
    /// Text that the hook wrote to its standard output.
    pub stdout: Option<String>,
    /// Text that the hook wrote to its standard error.
    pub stderr: Option<String>,
    /// Standard output and standard error combined.
    pub output: Option<String>,
    /// Exit code of the hook. `None` if the hook is not a program or was killed.
    pub exit_code: Option<i64>,
    /// Outcome of the hook.
    pub outcome: Option<HookOutcome>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Outcome of a hook.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HookOutcome {
    /// The hook ran successfully.
    Success,
    /// The hook ended with an error.
    Error,
    /// The hook was cancelled.
    Cancelled,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
