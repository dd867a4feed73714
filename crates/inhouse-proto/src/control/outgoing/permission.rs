use serde_json::Value;

use super::declare::control_request;
use crate::control::{PermissionBehavior, PermissionMode};
use crate::open::open_struct;

control_request! {
    /// Changes the permission mode.
    ///
    /// `bypassPermissions` is refused unless the process was started with
    /// `--allow-dangerously-skip-permissions`.
    pub struct SetPermissionMode("set_permission_mode") -> SetPermissionModeReply
    requires {
        /// The new mode.
        mode: PermissionMode,
    }
}

open_struct! {
    /// The mode that is now in force.
    pub struct SetPermissionModeReply {
        /// The mode.
        pub mode: Option<PermissionMode>,
    }
}

control_request! {
    /// Tightens the permission mode for the tools of one MCP server.
    ///
    /// The subtype is not declared by the official SDKs, but one of them sends it.
    pub struct SetMcpPermissionModeOverride("set_mcp_permission_mode_override")
        -> SetMcpPermissionModeOverrideReply
    requires {
        /// The server's name.
        server_name as "serverName": String = impl Into<String>,
        /// `default`, `auto`, or `None` for the mode of the session.
        mode: Option<PermissionMode> = impl Into<Option<PermissionMode>>,
    }
}

open_struct! {
    /// The reply to [`SetMcpPermissionModeOverride`].
    pub struct SetMcpPermissionModeOverrideReply {
        /// Why the override may not do what was meant.
        pub warning: Option<String>,
    }
}

control_request! {
    /// Asks for the permission rules that are in force.
    pub struct ListPermissionRules("list_permission_rules") -> ListPermissionRulesReply
}

open_struct! {
    /// The reply to [`ListPermissionRules`].
    pub struct ListPermissionRulesReply {
        /// The rules and what surrounds them.
        pub state: PermissionRules,
    }
}

open_struct! {
    /// All permission rules, and where tools may work.
    pub struct PermissionRules {
        /// The rules.
        pub rules: Vec<ListedRule>,
        /// Working directories beyond the first.
        pub workspace_directories as "workspaceDirectories": Vec<Value>,
        /// The directory that the session began in.
        pub original_cwd as "originalCwd": String,
        /// Whether only managed rules count.
        pub managed_only as "managedOnly": bool,
        /// What is wrong with the settings.
        pub errors: Option<Vec<Value>>,
        /// What is not shown, and why.
        pub withheld: Option<Value>,
    }
}

open_struct! {
    /// One permission rule.
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
}

open_struct! {
    /// A permission rule in words, for display.
    pub struct RuleDescription {
        /// The plain part.
        pub prefix: Option<String>,
        /// The part to stress.
        pub emphasis: Option<String>,
    }
}
