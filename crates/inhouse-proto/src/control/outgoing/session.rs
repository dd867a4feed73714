use super::declare::control_request;
use crate::control::Empty;
use crate::open::{open_enum, open_struct};

control_request! {
    /// Gives a session another title.
    pub struct RenameSession("rename_session") -> Empty
    requires {
        /// The title.
        title: String = impl Into<String>,
    }
    accepts {
        /// Who renames it.
        source: RenameSource,
        /// Which session; the running one if there is none.
        session_id: String = impl Into<String>,
    }
}

open_enum! {
    /// Who renames a session.
    pub enum RenameSource {
        /// A remote client.
        Remote = "remote",
        /// The host of the CLI.
        Host = "host",
    }
}

control_request! {
    /// Changes the session's accent color.
    ///
    /// CLI 2.1.325 refuses it over stdio.
    pub struct SetColor("set_color") -> Empty
    requires {
        /// The name of the color.
        color: String = impl Into<String>,
    }
}

control_request! {
    /// Tells the CLI whether anybody is watching.
    pub struct SetHasSubscribers("set_has_subscribers") -> Empty
    requires {
        /// Whether somebody is; `None` when the host cannot tell.
        has_subscribers: Option<bool> = impl Into<Option<bool>>,
    }
}

control_request! {
    /// Declares a directory below the working directory to be the root of a repository.
    pub struct RegisterRepoRoot("register_repo_root") -> RegisterRepoRootReply
    requires {
        /// The directory.
        directory: String = impl Into<String>,
    }
    accepts {
        /// Whether to read its CLAUDE.md.
        reload_claude_md: bool,
        /// Whether to load its plugins.
        reload_plugins: bool,
        /// Whether to load its skills.
        reload_skills: bool,
    }
}

open_struct! {
    /// The reply to [`RegisterRepoRoot`].
    pub struct RegisterRepoRootReply {
        /// The directory, in full.
        pub directory: Option<String>,
    }
}

control_request! {
    /// Ends the session: the CLI answers, then exits with 0 although stdin is still open.
    ///
    /// The subtype is not declared by the official SDKs.
    pub struct EndSession("end_session") -> Empty
}

control_request! {
    /// Asks for the version of the CLI.
    pub struct GetBinaryVersion("get_binary_version") -> GetBinaryVersionReply
}

open_struct! {
    /// The reply to [`GetBinaryVersion`].
    pub struct GetBinaryVersionReply {
        /// The version, such as `2.1.325`.
        pub version: String,
        /// When it was built.
        pub build_time as "buildTime": Option<String>,
    }
}
