use crate::control::ControlRequest;
use crate::control::Empty;
use inhouse_macros::Open;
use serde::Serialize;

/// Request to change the title of a session.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RenameSession {
    /// New title of the session.
    pub title: String,
    /// Origin of the request to rename.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<RenameSource>,
    /// Id of the session to rename. `None` renames the running session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
}

impl RenameSession {
    /// Creates a request for the running session, without optional members.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            source: None,
            session_id: None,
        }
    }

    /// Sets the origin of the request to rename.
    #[must_use]
    pub fn source(mut self, source: RenameSource) -> Self {
        self.source = Some(source);
        self
    }

    /// Sets the id of the session to rename.
    #[must_use]
    pub fn session_id(mut self, session_id: impl Into<String>) -> Self {
        self.session_id = Some(session_id.into());
        self
    }
}

impl ControlRequest for RenameSession {
    const SUBTYPE: &'static str = "rename_session";
    type Reply = Empty;
}

/// Origin of a request to rename a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RenameSource {
    /// A remote client renames the session.
    Remote,
    /// The host of the CLI renames the session.
    Host,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Request to change the accent color of the session.
///
/// CLI 2.1.325 rejects this request over stdio.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetColor {
    /// Name of the color, such as `default`.
    pub color: String,
}

impl SetColor {
    /// Creates a request for the named color.
    #[must_use]
    pub fn new(color: impl Into<String>) -> Self {
        Self {
            color: color.into(),
        }
    }
}

impl ControlRequest for SetColor {
    const SUBTYPE: &'static str = "set_color";
    type Reply = Empty;
}

/// Request that reports to the CLI whether any client is watching the session.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetHasSubscribers {
    /// Whether a client is watching; `None` if the host does not know.
    pub has_subscribers: Option<bool>,
}

impl SetHasSubscribers {
    /// Creates a request; `None` if the host does not know whether a client is watching.
    #[must_use]
    pub fn new(has_subscribers: impl Into<Option<bool>>) -> Self {
        Self {
            has_subscribers: has_subscribers.into(),
        }
    }
}

impl ControlRequest for SetHasSubscribers {
    const SUBTYPE: &'static str = "set_has_subscribers";
    type Reply = Empty;
}

/// Request to register a directory below the working directory as the root of a repository.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RegisterRepoRoot {
    /// Path of the directory.
    pub directory: String,
    /// Whether the CLI reads the CLAUDE.md of the directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reload_claude_md: Option<bool>,
    /// Whether the CLI loads the plugins of the directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reload_plugins: Option<bool>,
    /// Whether the CLI loads the skills of the directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reload_skills: Option<bool>,
}

impl RegisterRepoRoot {
    /// Creates a request for the directory, without optional members.
    #[must_use]
    pub fn new(directory: impl Into<String>) -> Self {
        Self {
            directory: directory.into(),
            reload_claude_md: None,
            reload_plugins: None,
            reload_skills: None,
        }
    }

    /// Sets whether the CLI reads the CLAUDE.md of the directory.
    #[must_use]
    pub fn reload_claude_md(mut self, reload_claude_md: bool) -> Self {
        self.reload_claude_md = Some(reload_claude_md);
        self
    }

    /// Sets whether the CLI loads the plugins of the directory.
    #[must_use]
    pub fn reload_plugins(mut self, reload_plugins: bool) -> Self {
        self.reload_plugins = Some(reload_plugins);
        self
    }

    /// Sets whether the CLI loads the skills of the directory.
    #[must_use]
    pub fn reload_skills(mut self, reload_skills: bool) -> Self {
        self.reload_skills = Some(reload_skills);
        self
    }
}

impl ControlRequest for RegisterRepoRoot {
    const SUBTYPE: &'static str = "register_repo_root";
    type Reply = RegisterRepoRootReply;
}

/// The reply to [`RegisterRepoRoot`]: the registered directory.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct RegisterRepoRootReply {
    /// Absolute path of the directory.
    pub directory: Option<String>,
}

/// Request to end the session: the CLI replies, then exits with code 0 although stdin is still open.
///
/// The official SDKs do not declare this subtype.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EndSession {}

impl EndSession {
    /// Creates a request without members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ControlRequest for EndSession {
    const SUBTYPE: &'static str = "end_session";
    type Reply = Empty;
}

/// Request for the version of the CLI.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetBinaryVersion {}

impl GetBinaryVersion {
    /// Creates a request without members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ControlRequest for GetBinaryVersion {
    const SUBTYPE: &'static str = "get_binary_version";
    type Reply = GetBinaryVersionReply;
}

/// The reply to [`GetBinaryVersion`]: the version of the CLI.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GetBinaryVersionReply {
    /// Version of the CLI, such as `2.1.325`.
    pub version: String,
    /// Time at which the CLI was built (RFC 3339).
    pub build_time: Option<String>,
}
