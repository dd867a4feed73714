use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

use crate::control::{PermissionBehavior, PermissionMode};

/// Changes the permission mode.
///
/// `bypassPermissions` is refused unless the process was started with
/// `--allow-dangerously-skip-permissions`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetPermissionMode {
    /// The new mode.
    pub mode: PermissionMode,
}

impl SetPermissionMode {
    /// Creates the request.
    #[must_use]
    pub fn new(mode: PermissionMode) -> Self {
        Self { mode }
    }
}

impl ControlRequest for SetPermissionMode {
    const SUBTYPE: &'static str = "set_permission_mode";
    type Reply = SetPermissionModeReply;
}

/// The mode that is now in force.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SetPermissionModeReply {
    /// The mode.
    pub mode: Option<PermissionMode>,
}

/// Tightens the permission mode for the tools of one MCP server.
///
/// The subtype is not declared by the official SDKs, but one of them sends it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetMcpPermissionModeOverride {
    /// The server's name.
    #[serde(rename = "serverName")]
    pub server_name: String,
    /// `default`, `auto`, or `None` for the mode of the session.
    pub mode: Option<PermissionMode>,
}

impl SetMcpPermissionModeOverride {
    /// Creates the request.
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

/// The reply to [`SetMcpPermissionModeOverride`].
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SetMcpPermissionModeOverrideReply {
    /// Why the override may not do what was meant.
    pub warning: Option<String>,
}

/// Asks for the permission rules that are in force.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListPermissionRules {}

impl ListPermissionRules {
    /// Creates the request.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ControlRequest for ListPermissionRules {
    const SUBTYPE: &'static str = "list_permission_rules";
    type Reply = ListPermissionRulesReply;
}

/// The reply to [`ListPermissionRules`].
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ListPermissionRulesReply {
    /// The rules and what surrounds them.
    pub state: PermissionRules,
}

/// All permission rules, and where tools may work.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PermissionRules {
    /// The rules.
    pub rules: Vec<ListedRule>,
    /// Working directories beyond the first.
    pub workspace_directories: Vec<Value>,
    /// The directory that the session began in.
    pub original_cwd: String,
    /// Whether only managed rules count.
    pub managed_only: bool,
    /// What is wrong with the settings.
    pub errors: Option<Vec<Value>>,
    /// What is not shown, and why.
    pub withheld: Option<Value>,
}

/// One permission rule.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ListedRule {
    /// What it says.
    pub behavior: PermissionBehavior,
    /// Where it comes from, such as `cliArg` or `userSettings`.
    pub source: String,
    /// The rule, such as `Bash(ls:*)`.
    pub rule: String,
    /// The rule in words.
    pub description: Option<RuleDescription>,
    /// Who can change it, such as `session`.
    pub editability: Option<String>,
}

/// A permission rule in words, for display.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct RuleDescription {
    /// The plain part.
    pub prefix: Option<String>,
    /// The part to stress.
    pub emphasis: Option<String>,
}
