use super::event::hook_event;
use crate::open::open_enum;

hook_event! {
    /// A file that is watched has changed.
    ///
    /// Files are watched once the [answer](super::HookOutput::watch_paths) of a hook names them.
    pub struct FileChanged {
        /// The file.
        pub file_path: String,
        /// What happened to it.
        pub event: FileEvent,
    }
}

hook_event! {
    /// The working directory has changed.
    pub struct CwdChanged {
        /// The directory until now.
        pub old_cwd: String,
        /// The directory from now on.
        pub new_cwd: String,
    }
}

hook_event! {
    /// A directory was added to those that tools may work in.
    pub struct DirectoryAdded {
        /// The directory.
        pub directory: String,
        /// Who added it.
        pub source: DirectorySource,
    }
}

open_enum! {
    /// What happened to a file.
    pub enum FileEvent {
        /// It was written.
        Change = "change",
        /// It came into being.
        Add = "add",
        /// It was removed.
        Unlink = "unlink",
    }
}

open_enum! {
    /// Who added a directory.
    pub enum DirectorySource {
        /// A slash command.
        SlashCommand = "slash_command",
        /// A host.
        RegisterRepoRoot = "register_repo_root",
    }
}
