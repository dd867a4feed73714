use inhouse_macros::Open;

/// Reason why the CLI refused to start.
///
/// For many reasons, the CLI sends a result only if `CLAUDE_CODE_STARTUP_FAILURE_RESULTS` is in the environment.
/// Otherwise the reason is only written to stderr.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StartupFailureReason {
    /// An API key is in use although the organization is pinned.
    OrgPinApiKeyConflict,
    /// The provider is not allowed.
    ProviderNotAllowed,
    /// The organization could not be verified.
    OrgVerifyFailed,
    /// The login belongs to another organization than the pinned one.
    OrgPinMismatch,
    /// The managed settings are invalid.
    ManagedSettingsInvalid,
    /// Remote settings are required but not available.
    RemoteSettingsRequiredUnavailable,
    /// The gateway requires a login.
    GatewaySigninRequired,
    /// The gateway denied access.
    GatewayAccessDenied,
    /// The proxy setting is invalid.
    ProxyInvalid,
    /// The directory for temporary files cannot be used.
    TempDirUnusable,
    /// The working directory is not available.
    CwdUnavailable,
    /// No shell was found.
    ShellToolMissing,
    /// A background process holds the session.
    SessionHeldByBackground,
    /// The session's worktree cannot be used again.
    WorktreeResumeRefused,
    /// The session's worktree could not be verified.
    WorktreeUnverified,
    /// The version of the CLI is too old.
    CliVersionTooOld,
    /// The superuser may not bypass permissions.
    BypassRoot,
    /// The organization's configuration is required but not available.
    OrgConfigRequiredUnavailable,
    /// The organization's configuration was refused.
    OrgConfigRefused,
    /// A sandbox is required but not available.
    SandboxRequiredUnavailable,
    /// The first line on stdin was not the `initialize` request.
    InitializeNotFirst,
    /// A settings file is invalid.
    ConfigFileInvalid,
    /// The managed settings were not delivered.
    ManagedSettingsNotDelivered,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// The settings file that made the CLI refuse to start.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct InvalidConfigFile {
    /// Path of the settings file.
    pub path: String,
    /// Whether the file is the user's global settings file.
    pub is_global: Option<bool>,
    /// Whether the CLI searched for a backup.
    pub backup_searched: Option<bool>,
    /// Path of the backup that the CLI found; `None` if it found none.
    pub backup_path: Option<String>,
}
