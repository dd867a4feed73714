use inhouse_macros::Open;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::control::PermissionUpdate;

/// A permission request (`can_use_tool`): the CLI asks whether a tool may run.
///
/// The answer is a [`PermissionDecision`](super::PermissionDecision). There is no deadline, and several requests may be
/// open at once.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct CanUseTool {
    /// The name of the tool, such as `Bash` or `mcp__calc__add`.
    pub tool_name: String,
    /// The input of the tool, as the model wrote it.
    pub input: Map<String, Value>,
    /// The id of the tool call.
    pub tool_use_id: String,
    /// Updates to return with the decision if the user chooses "always allow".
    pub permission_suggestions: Option<Vec<PermissionUpdate>>,
    /// The path that caused the request.
    pub blocked_path: Option<String>,
    /// Reason for the request, as text for the user. It may contain terminal escape sequences.
    pub decision_reason: Option<String>,
    /// The kind of reason for the request.
    pub decision_reason_type: Option<DecisionReasonType>,
    /// A more specific code for the reason. The official SDKs do not declare this member.
    pub decision_reason_code: Option<String>,
    /// The source of the rule that caused the request, such as `mcpServerPolicy`.
    pub decision_reason_rule_source: Option<String>,
    /// The event of the hook that caused the request, such as `PreToolUse`.
    pub decision_reason_hook_event: Option<String>,
    /// The source of the hook that caused the request.
    pub decision_reason_hook_source: Option<String>,
    /// Whether a model may approve the call. Present only if a safety check caused the request.
    pub classifier_approvable: Option<bool>,
    /// The rule with the behavior `ask` that caused the request.
    pub matched_ask_rule: Option<AskRule>,
    /// The MCP server of the tool; `None` for a built-in tool.
    pub mcp_server: Option<ToolOrigin>,
    /// A title to show to the user.
    pub title: Option<String>,
    /// The name of the tool to show to the user.
    pub display_name: Option<String>,
    /// A description of the call to show to the user.
    pub description: Option<String>,
    /// Whether the user interface must not offer "always allow".
    pub suppress_always_allow_rule: Option<bool>,
    /// Whether the user interface should preselect "no".
    pub default_to_no: Option<bool>,
    /// Whether a user must decide, as for `AskUserQuestion` and `ExitPlanMode`.
    pub requires_user_interaction: Option<bool>,
    /// The id of the subagent that makes the call; `None` for the main agent.
    pub agent_id: Option<String>,
    /// Whether a policy of the MCP server causes the request. The official SDKs do not declare this member.
    pub server_policy_ask_only: Option<bool>,
    /// The plugin that provides the tool.
    pub plugin: Option<Value>,
    /// A prompt of the MCP server to show to the user.
    pub server_prompt: Option<Value>,
    /// The folder that the call would access, with the name of the computer.
    pub computer_folder: Option<ComputerFolder>,
}

/// The kind of reason for a permission request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum DecisionReasonType {
    /// A permission rule matches the call.
    Rule,
    /// The permission mode requires a decision.
    Mode,
    /// The parts of a compound command have different results.
    SubcommandResults,
    /// The permission prompt tool requires a decision.
    PermissionPromptTool,
    /// A hook requires a decision.
    Hook,
    /// A background agent makes the call.
    AsyncAgent,
    /// The call requests to run outside of the sandbox.
    SandboxOverride,
    /// The call accesses a path outside of the working directories.
    WorkingDir,
    /// A safety check requires a decision.
    SafetyCheck,
    /// The model that classifies calls requires a decision.
    Classifier,
    /// The CLI has another reason.
    Other,
    /// A value that this version of the crate does not know, as the CLI wrote it.
    Unknown(String),
}

/// A permission rule with the behavior `ask` that caused a request.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct AskRule {
    /// The source of the rule, such as `session`.
    pub source: String,
    /// The name of the tool that the rule matches.
    pub tool_name: String,
    /// The pattern of the calls that the rule matches; `None` for all calls to the tool.
    pub rule_content: Option<String>,
}

/// The MCP server that provides a tool.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ToolOrigin {
    /// The name of the server. Do not base trust on the name: any server can use any name.
    pub name: String,
    /// The source of the server. Only servers that the host registered have `sdk`.
    pub source: String,
}

/// A folder on a user's computer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ComputerFolder {
    /// The path of the folder.
    pub path: String,
    /// The name of the computer.
    pub computer_name: String,
}
