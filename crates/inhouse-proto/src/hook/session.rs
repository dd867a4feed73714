use super::HookCommon;
use inhouse_macros::Open;
use serde::Deserialize;

/// Event that fires when a conversation starts.
///
/// The CLI starts its first conversation before it receives the hooks of the host. For these hooks the
/// event therefore fires only after `/clear` and after a compaction (2.1.325).
///
/// The protocol allows a first prompt (`initialUserMessage`) and a title (`sessionTitle`) in the answer. Neither has an
/// effect in these two cases; use [`specific`](super::HookOutput::specific) for a CLI in which they have one.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct SessionStart {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// Reason why the conversation starts.
    pub source: SessionSource,
    /// The model that the session uses.
    pub model: Option<String>,
    /// The title of the session.
    pub session_title: Option<String>,
    /// Time since the last response in seconds. Set if a session is resumed or forked.
    pub seconds_since_last_response: Option<f64>,
    /// Number of tokens in the context of the conversation. Set if a session is resumed or forked.
    pub context_tokens: Option<u64>,
    /// Whether the conversation has probably expired from the prompt cache. Set if a session is resumed or forked.
    pub prompt_cache_likely_expired: Option<bool>,
    /// Estimated cost of caching the conversation again, in US dollars. Set if a session is resumed or forked.
    pub estimated_cache_write_usd: Option<f64>,
}

/// Event that fires when a conversation ends.
///
/// For hooks of the host, the event fires on `/clear`, but not when the CLI process ends (2.1.325).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct SessionEnd {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// Reason why the conversation ends.
    pub reason: SessionEndReason,
}

/// Event that fires when a repository is set up for sessions.
///
/// The CLI runs the setup before it receives the hooks of the host, so the event never fires for them (2.1.325).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Setup {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The kind of setup.
    pub trigger: SetupTrigger,
}

/// Reason why a conversation starts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SessionSource {
    /// The CLI process was started.
    Startup,
    /// An earlier conversation is resumed.
    Resume,
    /// The previous conversation was cleared.
    Clear,
    /// The previous conversation was compacted.
    Compact,
    /// The conversation is a fork of an earlier one.
    Fork,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Reason why a conversation ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SessionEndReason {
    /// The conversation was cleared.
    Clear,
    /// Another conversation is resumed.
    Resume,
    /// The user logged out.
    Logout,
    /// The user exited the CLI at the prompt.
    PromptInputExit,
    /// The conversation ended for another reason.
    Other,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Kind of setup of a repository.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SetupTrigger {
    /// The repository is set up for the first time.
    Init,
    /// The repository was set up before and is maintained.
    Maintenance,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
