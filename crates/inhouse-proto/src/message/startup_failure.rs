use inhouse_macros::Open;

/// Why the CLI refused to start.
///
/// For many of these there is a result only when `CLAUDE_CODE_STARTUP_FAILURE_RESULTS` is in the
/// environment; otherwise the reason stands in the CLI's error output alone.
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
    /// The login belongs to another organization.
    OrgPinMismatch,
    /// The managed settings make no sense.
    ManagedSettingsInvalid,
    /// Remote settings are required but out of reach.
    RemoteSettingsRequiredUnavailable,
    /// The gateway wants a login.
    GatewaySigninRequired,
    /// The gateway refused.
    GatewayAccessDenied,
    /// The proxy setting makes no sense.
    ProxyInvalid,
    /// The directory for temporary files cannot be used.
    TempDirUnusable,
    /// The working directory is not there.
    CwdUnavailable,
    /// There is no shell.
    ShellToolMissing,
    /// A background process holds the session.
    SessionHeldByBackground,
    /// The session's worktree cannot be used again.
    WorktreeResumeRefused,
    /// The session's worktree could not be verified.
    WorktreeUnverified,
    /// The CLI is too old.
    CliVersionTooOld,
    /// Permissions may not be bypassed by the superuser.
    BypassRoot,
    /// The organization's configuration is required but out of reach.
    OrgConfigRequiredUnavailable,
    /// The organization's configuration was refused.
    OrgConfigRefused,
    /// A sandbox is required but there is none.
    SandboxRequiredUnavailable,
    /// The first line was not `initialize`.
    InitializeNotFirst,
    /// A settings file makes no sense.
    ConfigFileInvalid,
    /// The managed settings did not arrive.
    ManagedSettingsNotDelivered,
    /// A value that this version does not know.
    Unknown(String),
}

/// The settings file because of which the CLI refused to start.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct InvalidConfigFile {
    /// The file.
    pub path: String,
    /// Whether it is the user's global one.
    pub is_global: Option<bool>,
    /// Whether the CLI looked for a backup.
    pub backup_searched: Option<bool>,
    /// The backup that it found.
    pub backup_path: Option<String>,
}
