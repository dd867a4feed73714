use super::{HookCommon, HookEvent};
use inhouse_macros::Open;
use serde::Deserialize;

/// A conversation begins.
///
/// The CLI begins its first one before it knows the hooks of a host: those only see what begins
/// with `/clear` and after a compaction (2.1.325). A first prompt or a title, which an answer
/// may hold according to the protocol, has no effect then; use
/// [`specific`](super::HookOutput::specific) where it has.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct SessionStart {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// Why it begins.
    pub source: SessionSource,
    /// The model.
    pub model: Option<String>,
    /// The title of the session.
    pub session_title: Option<String>,
    /// How long ago the last answer was, when a session is resumed or forked.
    pub seconds_since_last_response: Option<f64>,
    /// How long the conversation is, when it is resumed or forked.
    pub context_tokens: Option<u64>,
    /// Whether the model has forgotten what it had cached of it.
    pub prompt_cache_likely_expired: Option<bool>,
    /// What it costs to cache it anew.
    pub estimated_cache_write_usd: Option<f64>,
}

impl HookEvent for SessionStart {
    const NAME: &'static str = "SessionStart";
}

/// A conversation ends.
///
/// A host's hooks see the end by `/clear`, and not that of the CLI (2.1.325).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct SessionEnd {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// Why it ends.
    pub reason: SessionEndReason,
}

impl HookEvent for SessionEnd {
    const NAME: &'static str = "SessionEnd";
}

/// A repository is prepared for sessions.
///
/// It happens before the CLI knows the hooks of a host, which never see it (2.1.325).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Setup {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// What is done.
    pub trigger: SetupTrigger,
}

impl HookEvent for Setup {
    const NAME: &'static str = "Setup";
}

/// Why a conversation begins.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SessionSource {
    /// The CLI starts.
    Startup,
    /// An earlier one goes on.
    Resume,
    /// The one before was cleared.
    Clear,
    /// The one before was compacted.
    Compact,
    /// It branches off an earlier one.
    Fork,
    /// A value that this version does not know.
    Unknown(String),
}

/// Why a conversation ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SessionEndReason {
    /// It was cleared.
    Clear,
    /// Another one is resumed.
    Resume,
    /// The user logged out.
    Logout,
    /// The user left.
    PromptInputExit,
    /// Something else.
    Other,
    /// A value that this version does not know.
    Unknown(String),
}

/// How a repository is prepared.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SetupTrigger {
    /// For the first time.
    Init,
    /// Again.
    Maintenance,
    /// A value that this version does not know.
    Unknown(String),
}
