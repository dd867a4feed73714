use serde::Deserialize;

use super::HookCommon;
use crate::message::CompactTrigger;

/// Event that fires before the conversation is replaced by a summary.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PreCompact {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The cause of the compaction.
    pub trigger: CompactTrigger,
    /// Instructions of the user for the summary. `None` if there are none.
    pub custom_instructions: Option<String>,
}

/// Event that fires after the conversation was replaced by a summary.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PostCompact {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The cause of the compaction.
    pub trigger: CompactTrigger,
    /// The text of the summary.
    pub compact_summary: String,
}
