use serde::Deserialize;

use super::{HookCommon, HookEvent};
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

impl HookEvent for PreCompact {
    const NAME: &'static str = "PreCompact";

    fn common(&self) -> &HookCommon {
        &self.common
    }
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

impl HookEvent for PostCompact {
    const NAME: &'static str = "PostCompact";

    fn common(&self) -> &HookCommon {
        &self.common
    }
}
