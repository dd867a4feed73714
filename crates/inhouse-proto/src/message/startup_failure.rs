use crate::open::{open_enum, open_struct};

open_enum! {
    /// Why the CLI refused to start.
    ///
    /// For many of these there is a result only when `CLAUDE_CODE_STARTUP_FAILURE_RESULTS` is in the
    /// environment; otherwise the reason stands in the CLI's error output alone.
    pub enum StartupFailureReason {
        /// An API key is in use although the organization is pinned.
        OrgPinApiKeyConflict = "org_pin_api_key_conflict",
        /// The provider is not allowed.
        ProviderNotAllowed = "provider_not_allowed",
        /// The organization could not be verified.
        OrgVerifyFailed = "org_verify_failed",
        /// The login belongs to another organization.
        OrgPinMismatch = "org_pin_mismatch",
        /// The managed settings make no sense.
        ManagedSettingsInvalid = "managed_settings_invalid",
        /// Remote settings are required but out of reach.
        RemoteSettingsRequiredUnavailable = "remote_settings_required_unavailable",
        /// The gateway wants a login.
        GatewaySigninRequired = "gateway_signin_required",
        /// The gateway refused.
        GatewayAccessDenied = "gateway_access_denied",
        /// The proxy setting makes no sense.
        ProxyInvalid = "proxy_invalid",
        /// The directory for temporary files cannot be used.
        TempDirUnusable = "temp_dir_unusable",
        /// The working directory is not there.
        CwdUnavailable = "cwd_unavailable",
        /// There is no shell.
        ShellToolMissing = "shell_tool_missing",
        /// A background process holds the session.
        SessionHeldByBackground = "session_held_by_background",
        /// The session's worktree cannot be used again.
        WorktreeResumeRefused = "worktree_resume_refused",
        /// The session's worktree could not be verified.
        WorktreeUnverified = "worktree_unverified",
        /// The CLI is too old.
        CliVersionTooOld = "cli_version_too_old",
        /// Permissions may not be bypassed by the superuser.
        BypassRoot = "bypass_root",
        /// The organization's configuration is required but out of reach.
        OrgConfigRequiredUnavailable = "org_config_required_unavailable",
        /// The organization's configuration was refused.
        OrgConfigRefused = "org_config_refused",
        /// A sandbox is required but there is none.
        SandboxRequiredUnavailable = "sandbox_required_unavailable",
        /// The first line was not `initialize`.
        InitializeNotFirst = "initialize_not_first",
        /// A settings file makes no sense.
        ConfigFileInvalid = "config_file_invalid",
        /// The managed settings did not arrive.
        ManagedSettingsNotDelivered = "managed_settings_not_delivered",
    }
}

open_struct! {
    /// The settings file because of which the CLI refused to start.
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
}
