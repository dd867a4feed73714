use crate::message::HookEvent;
use inhouse_macros::Open;

/// A hook begins.
///
/// Hooks on the start and the setup of a session are always reported, even before `initialize`
/// is answered; all others only when hook events were asked for.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct HookStartedMessage {
    /// This run of the hook.
    pub hook_id: String,
    /// The hook's name.
    pub hook_name: Option<String>,
    /// The moment at which it runs.
    pub hook_event: Option<HookEvent>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// A hook printed something.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct HookProgressMessage {
    /// This run of the hook.
    pub hook_id: String,
    /// The hook's name.
    pub hook_name: Option<String>,
    /// The moment at which it runs.
    pub hook_event: Option<HookEvent>,
    /// What it wrote to its standard output.
    pub stdout: Option<String>,
    /// What it wrote to its standard error.
    pub stderr: Option<String>,
    /// Both together.
    pub output: Option<String>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// A hook is done.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct HookResponseMessage {
    /// This run of the hook.
    pub hook_id: String,
    /// The hook's name.
    pub hook_name: Option<String>,
    /// The moment at which it ran.
    pub hook_event: Option<HookEvent>,
    /// What it wrote to its standard output.
    pub stdout: Option<String>,
    /// What it wrote to its standard error.
    pub stderr: Option<String>,
    /// Both together.
    pub output: Option<String>,
    /// The exit code; absent when it was not a program or was killed.
    pub exit_code: Option<i64>,
    /// How it ended.
    pub outcome: Option<HookOutcome>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// How a hook ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HookOutcome {
    /// Well.
    Success,
    /// Badly.
    Error,
    /// It was stopped.
    Cancelled,
    /// A value that this version does not know.
    Unknown(String),
}
