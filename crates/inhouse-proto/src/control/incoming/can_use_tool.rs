use inhouse_macros::Open;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::control::PermissionUpdate;

/// The CLI asks whether a tool may run.
///
/// Several questions may be open at once, and there is no deadline. The answer is a
/// [`PermissionDecision`](super::PermissionDecision).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct CanUseTool {
    /// The tool, such as `Bash` or `mcp__calc__add`.
    pub tool_name: String,
    /// Its input, as the model wrote it.
    pub input: Map<String, Value>,
    /// The tool call.
    pub tool_use_id: String,
    /// What to send back for "always allow".
    pub permission_suggestions: Option<Vec<PermissionUpdate>>,
    /// The path that made the CLI ask.
    pub blocked_path: Option<String>,
    /// Why the CLI asks, for people; it may hold terminal escapes.
    pub decision_reason: Option<String>,
    /// Why the CLI asks.
    pub decision_reason_type: Option<DecisionReasonType>,
    /// Why the CLI asks, more closely.
    pub decision_reason_code: Option<String>,
    /// Where the rule behind it comes from.
    pub decision_reason_rule_source: Option<String>,
    /// The hook event behind it.
    pub decision_reason_hook_event: Option<String>,
    /// Where the hook behind it comes from.
    pub decision_reason_hook_source: Option<String>,
    /// Whether a model may approve what a safety check found.
    pub classifier_approvable: Option<bool>,
    /// The rule that made the CLI ask.
    pub matched_ask_rule: Option<AskRule>,
    /// The server of an MCP tool.
    pub mcp_server: Option<ToolServer>,
    /// A title to show.
    pub title: Option<String>,
    /// The tool's name to show.
    pub display_name: Option<String>,
    /// What the call does, to show.
    pub description: Option<String>,
    /// Whether "always allow" must not be offered.
    pub suppress_always_allow_rule: Option<bool>,
    /// Whether "no" should be preselected.
    pub default_to_no: Option<bool>,
    /// Whether a person must decide.
    pub requires_user_interaction: Option<bool>,
    /// The subagent that makes the call.
    pub agent_id: Option<String>,
    /// Whether a policy of the server makes the CLI ask.
    pub server_policy_ask_only: Option<bool>,
    /// The plugin behind the tool.
    pub plugin: Option<Value>,
    /// What the server wants to be shown.
    pub server_prompt: Option<Value>,
    /// A folder on a computer that the call would touch.
    pub computer_folder: Option<ComputerFolder>,
}

/// What made the CLI ask.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum DecisionReasonType {
    /// A rule.
    Rule,
    /// The permission mode.
    Mode,
    /// Parts of a command were judged differently.
    SubcommandResults,
    /// A tool that decides about permissions.
    PermissionPromptTool,
    /// A hook.
    Hook,
    /// An agent in the background.
    AsyncAgent,
    /// The call wants to leave the sandbox.
    SandboxOverride,
    /// The call leaves the working directories.
    WorkingDir,
    /// A safety check.
    SafetyCheck,
    /// A model that judges calls.
    Classifier,
    /// Something else.
    Other,
    /// A value that this version does not know.
    Unknown(String),
}

/// A rule that made the CLI ask.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct AskRule {
    /// Where it comes from.
    pub source: String,
    /// The tool that it is about.
    pub tool_name: String,
    /// Which calls it is about.
    pub rule_content: Option<String>,
}

/// The MCP server behind a tool.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ToolServer {
    /// Its name, which anybody can choose.
    pub name: String,
    /// Where it comes from: only a server of the host has `sdk`.
    pub source: String,
}

/// A folder on somebody's computer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ComputerFolder {
    /// The folder.
    pub path: String,
    /// The computer.
    pub computer_name: String,
}
