use super::{HookCommon, HookEvent};
use inhouse_macros::Open;
use serde::Deserialize;

/// A file with instructions, such as `CLAUDE.md`, was read.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct InstructionsLoaded {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The file.
    pub file_path: String,
    /// Whose instructions they are.
    pub memory_type: InstructionsOwner,
    /// Why it was read.
    pub load_reason: LoadReason,
    /// The patterns of paths for which it is meant.
    pub globs: Option<Vec<String>>,
    /// The file that made the CLI read it.
    pub trigger_file_path: Option<String>,
    /// The file that includes it.
    pub parent_file_path: Option<String>,
}

impl HookEvent for InstructionsLoaded {
    const NAME: &'static str = "InstructionsLoaded";
}

/// Whose instructions a file holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "PascalCase")]
#[non_exhaustive]
pub enum InstructionsOwner {
    /// The user's.
    User,
    /// The project's, which are shared.
    Project,
    /// The project's of this machine.
    Local,
    /// The administrator's.
    Managed,
    /// A value that this version does not know.
    Unknown(String),
}

/// Why a file with instructions was read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LoadReason {
    /// The session began.
    SessionStart,
    /// A file below its directory was looked at.
    NestedTraversal,
    /// A file that it is meant for was looked at.
    PathGlobMatch,
    /// Another file includes it.
    Include,
    /// The conversation was compacted.
    Compact,
    /// A value that this version does not know.
    Unknown(String),
}
