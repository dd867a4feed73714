use crate::control::ControlRequest;
use crate::control::Empty;
use inhouse_macros::Open;
use serde::Serialize;

/// Gives a session another title.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RenameSession {
    /// The title.
    pub title: String,
    /// Who renames it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<RenameSource>,
    /// Which session; the running one if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
}

impl RenameSession {
    /// Creates the request without its optional members.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            source: None,
            session_id: None,
        }
    }

    /// Who renames it.
    #[must_use]
    pub fn source(mut self, source: RenameSource) -> Self {
        self.source = Some(source);
        self
    }

    /// Which session; the running one if there is none.
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

/// Who renames a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RenameSource {
    /// A remote client.
    Remote,
    /// The host of the CLI.
    Host,
    /// A value that this version does not know.
    Unknown(String),
}

/// Changes the session's accent color.
///
/// CLI 2.1.325 refuses it over stdio.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetColor {
    /// The name of the color.
    pub color: String,
}

impl SetColor {
    /// Creates the request.
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

/// Tells the CLI whether anybody is watching.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetHasSubscribers {
    /// Whether somebody is; `None` when the host cannot tell.
    pub has_subscribers: Option<bool>,
}

impl SetHasSubscribers {
    /// Creates the request.
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

/// Declares a directory below the working directory to be the root of a repository.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RegisterRepoRoot {
    /// The directory.
    pub directory: String,
    /// Whether to read its CLAUDE.md.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reload_claude_md: Option<bool>,
    /// Whether to load its plugins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reload_plugins: Option<bool>,
    /// Whether to load its skills.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reload_skills: Option<bool>,
}

impl RegisterRepoRoot {
    /// Creates the request without its optional members.
    #[must_use]
    pub fn new(directory: impl Into<String>) -> Self {
        Self {
            directory: directory.into(),
            reload_claude_md: None,
            reload_plugins: None,
            reload_skills: None,
        }
    }

    /// Whether to read its CLAUDE.md.
    #[must_use]
    pub fn reload_claude_md(mut self, reload_claude_md: bool) -> Self {
        self.reload_claude_md = Some(reload_claude_md);
        self
    }

    /// Whether to load its plugins.
    #[must_use]
    pub fn reload_plugins(mut self, reload_plugins: bool) -> Self {
        self.reload_plugins = Some(reload_plugins);
        self
    }

    /// Whether to load its skills.
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

/// The reply to [`RegisterRepoRoot`].
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct RegisterRepoRootReply {
    /// The directory, in full.
    pub directory: Option<String>,
}

/// Ends the session: the CLI answers, then exits with 0 although stdin is still open.
///
/// The subtype is not declared by the official SDKs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EndSession {}

impl EndSession {
    /// Creates the request.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ControlRequest for EndSession {
    const SUBTYPE: &'static str = "end_session";
    type Reply = Empty;
}

/// Asks for the version of the CLI.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetBinaryVersion {}

impl GetBinaryVersion {
    /// Creates the request.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ControlRequest for GetBinaryVersion {
    const SUBTYPE: &'static str = "get_binary_version";
    type Reply = GetBinaryVersionReply;
}

/// The reply to [`GetBinaryVersion`].
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GetBinaryVersionReply {
    /// The version, such as `2.1.325`.
    pub version: String,
    /// When it was built.
    pub build_time: Option<String>,
}
