use super::HookCommon;
use inhouse_macros::Open;
use serde::Deserialize;

/// Event that fires when a watched file has changed.
///
/// A file is watched once the [answer](super::HookOutput::watch_paths) of a hook names its path.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct FileChanged {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The path of the file.
    pub file_path: String,
    /// Kind of change to the file.
    pub event: FileEvent,
}

/// Event that fires when the working directory has changed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct CwdChanged {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The previous working directory.
    pub old_cwd: String,
    /// The new working directory.
    pub new_cwd: String,
}

/// Event that fires when a directory was added to those that tools may work in.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct DirectoryAdded {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The path of the directory.
    pub directory: String,
    /// Origin of the request to add the directory.
    pub source: DirectorySource,
}

/// Kind of change to a watched file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FileEvent {
    /// The file was written.
    Change,
    /// The file was created.
    Add,
    /// The file was removed.
    Unlink,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Origin of the request to add a directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DirectorySource {
    /// The user added the directory with a slash command.
    SlashCommand,
    /// The host added the directory with the control request `register_repo_root`.
    RegisterRepoRoot,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
