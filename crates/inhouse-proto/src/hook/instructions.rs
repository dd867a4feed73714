use super::HookCommon;
use inhouse_macros::Open;
use serde::Deserialize;

/// Event that fires when the CLI has read a file with instructions, such as `CLAUDE.md`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct InstructionsLoaded {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The path of the file.
    pub file_path: String,
    /// Owner of the instructions.
    pub memory_type: InstructionsOwner,
    /// Reason why the CLI read the file.
    pub load_reason: LoadReason,
    /// Glob patterns of the paths that the instructions apply to.
    pub globs: Option<Vec<String>>,
    /// The file whose access caused the CLI to read the instructions.
    pub trigger_file_path: Option<String>,
    /// The file that includes this file.
    pub parent_file_path: Option<String>,
}

/// Owner of the instructions in a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "PascalCase")]
#[non_exhaustive]
pub enum InstructionsOwner {
    /// Instructions of the user.
    User,
    /// Instructions of the project that all of its users share.
    Project,
    /// Instructions of the project that apply to this machine only.
    Local,
    /// Instructions of the administrator.
    Managed,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Reason why the CLI read a file with instructions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LoadReason {
    /// The session was started.
    SessionStart,
    /// A file below the directory of the instructions was accessed.
    NestedTraversal,
    /// A file that matches the glob patterns of the instructions was accessed.
    PathGlobMatch,
    /// Another file includes the instructions.
    Include,
    /// The conversation was compacted.
    Compact,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
