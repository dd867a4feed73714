use super::{HookCommon, HookEvent};
use inhouse_macros::Open;
use serde::Deserialize;

/// The conversation is about to be replaced by a summary.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PreCompact {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// Who wants it.
    pub trigger: CompactTrigger,
    /// What the user said about the summary.
    pub custom_instructions: Option<String>,
}

impl HookEvent for PreCompact {
    const NAME: &'static str = "PreCompact";
}

/// The conversation was replaced by a summary.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PostCompact {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// Who wanted it.
    pub trigger: CompactTrigger,
    /// The summary.
    pub compact_summary: String,
}

impl HookEvent for PostCompact {
    const NAME: &'static str = "PostCompact";
}

/// Who wants a summary.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CompactTrigger {
    /// The user or the host.
    Manual,
    /// The CLI, because the conversation became long.
    Auto,
    /// A value that this version does not know.
    Unknown(String),
}
