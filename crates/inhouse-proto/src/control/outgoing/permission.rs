use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

use crate::control::{PermissionBehavior, PermissionMode};

/// Request to change the permission mode.
///
/// The CLI rejects `bypassPermissions` unless the process was started with `--allow-dangerously-skip-permissions`.
/// For an unknown mode, CLI 2.1.325 replies with the error code `invalid_mode`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetPermissionMode {
    /// The new permission mode.
    pub mode: PermissionMode,
}

impl SetPermissionMode {
    /// Creates a request for the permission mode.
    #[must_use]
    pub fn new(mode: PermissionMode) -> Self {
        Self { mode }
    }
}

impl ControlRequest for SetPermissionMode {
    const SUBTYPE: &'static str = "set_permission_mode";
    type Reply = SetPermissionModeReply;
}

/// The reply to [`SetPermissionMode`]: the permission mode in effect.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SetPermissionModeReply {
    /// Permission mode that is now in effect.
    pub mode: Option<PermissionMode>,
}

/// Request for a stricter permission mode for the tools of one MCP server.
///
/// The official SDKs do not declare this subtype, but one of them sends it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetMcpPermissionModeOverride {
    /// Name of the MCP server.
    #[serde(rename = "serverName")]
    pub server_name: String,
    /// The mode `default` or `auto`, or `None` for the mode of the session.
    pub mode: Option<PermissionMode>,
}

impl SetMcpPermissionModeOverride {
    /// Creates a request for the named server; `None` restores the mode of the session.
    #[must_use]
    pub fn new(server_name: impl Into<String>, mode: impl Into<Option<PermissionMode>>) -> Self {
        Self {
            server_name: server_name.into(),
            mode: mode.into(),
        }
    }
}

impl ControlRequest for SetMcpPermissionModeOverride {
    const SUBTYPE: &'static str = "set_mcp_permission_mode_override";
    type Reply = SetMcpPermissionModeOverrideReply;
}

/// The reply to [`SetMcpPermissionModeOverride`], which may carry a warning.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SetMcpPermissionModeOverrideReply {
    /// Reason why the override may not have the intended effect.
    pub warning: Option<String>,
}

/// Request for the permission rules that are in effect.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListPermissionRules {}

impl ListPermissionRules {
    /// Creates a request without members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ControlRequest for ListPermissionRules {
    const SUBTYPE: &'static str = "list_permission_rules";
    type Reply = ListPermissionRulesReply;
}

/// The reply to [`ListPermissionRules`]: the rules in effect.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ListPermissionRulesReply {
    /// The permission rules and the directories that tools may use.
    pub state: PermissionRules,
}

/// All permission rules, and the directories that tools may use.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PermissionRules {
    /// Permission rules from all sources.
    pub rules: Vec<ListedRule>,
    /// Working directories in addition to the first, as the CLI sends them.
    pub workspace_directories: Vec<Value>,
    /// Directory that the session was started in.
    pub original_cwd: String,
    /// Whether only managed rules take effect.
    pub managed_only: bool,
    /// Errors found in the settings, as the CLI sends them.
    pub errors: Option<Vec<Value>>,
    /// Parts of the list that the CLI withholds, and the reason.
    pub withheld: Option<Value>,
}

/// One permission rule, with its source.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListedRule {
    /// Decision of the rule: allow, deny or ask.
    pub behavior: PermissionBehavior,
    /// Source that the rule comes from, such as `cliArg` or `userSettings`.
    pub source: String,
    /// Text of the rule, such as `Bash(ls:*)`.
    pub rule: String,
    /// Description of the rule for display.
    pub description: Option<RuleDescription>,
    /// Level at which the rule can be changed, such as `session`.
    pub editability: Option<String>,
    /// Whether the rule has no effect.
    pub not_in_effect: Option<bool>,
}

/// Description of a permission rule, for display.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct RuleDescription {
    /// First part of the description, in normal type.
    pub prefix: Option<String>,
    /// Part of the description to emphasize.
    pub emphasis: Option<String>,
    /// Last part of the description, in normal type.
    pub suffix: Option<String>,
}
