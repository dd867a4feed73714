use super::{HookCommon, HookEvent};
use inhouse_macros::Open;
use serde::Deserialize;

/// A file that is watched has changed.
///
/// Files are watched once the [answer](super::HookOutput::watch_paths) of a hook names them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct FileChanged {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The file.
    pub file_path: String,
    /// What happened to it.
    pub event: FileEvent,
}

impl HookEvent for FileChanged {
    const NAME: &'static str = "FileChanged";
}

/// The working directory has changed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct CwdChanged {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The directory until now.
    pub old_cwd: String,
    /// The directory from now on.
    pub new_cwd: String,
}

impl HookEvent for CwdChanged {
    const NAME: &'static str = "CwdChanged";
}

/// A directory was added to those that tools may work in.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct DirectoryAdded {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The directory.
    pub directory: String,
    /// Who added it.
    pub source: DirectorySource,
}

impl HookEvent for DirectoryAdded {
    const NAME: &'static str = "DirectoryAdded";
}

/// What happened to a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FileEvent {
    /// It was written.
    Change,
    /// It came into being.
    Add,
    /// It was removed.
    Unlink,
    /// A value that this version does not know.
    Unknown(String),
}

/// Who added a directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DirectorySource {
    /// A slash command.
    SlashCommand,
    /// A host.
    RegisterRepoRoot,
    /// A value that this version does not know.
    Unknown(String),
}
