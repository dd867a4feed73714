use inhouse_macros::Open;
use std::collections::BTreeMap;

use serde_json::Value;

use super::super::model::ModelInfo;
use crate::control::PermissionMode;

/// What the CLI says about itself and the session.
///
/// No member is required: CLI 2.1.197 sends the first six and `pid`, and a surprise in one of
/// them must not keep a session from starting.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct InitializeReply {
    /// The slash commands.
    pub commands: Option<Vec<SlashCommand>>,
    /// The agents.
    pub agents: Option<Vec<AgentInfo>>,
    /// The models.
    pub models: Option<Vec<ModelInfo>>,
    /// Who pays.
    pub account: Option<AccountInfo>,
    /// The output style in use.
    pub output_style: Option<String>,
    /// The output styles that there are.
    pub available_output_styles: Option<Vec<String>>,
    /// Whether the hooks of the request are in force; absent when it had none.
    pub hooks_applied: Option<bool>,
    /// Whether the CLI honours [`OnHookFailure`](super::OnHookFailure).
    pub hook_on_failure_supported: Option<bool>,
    /// Whether the plugins of the request were loaded; absent when it had none.
    pub plugins_applied: Option<bool>,
    /// What became of the manifests of the request, by server.
    pub sdk_mcp_manifests_parked: Option<BTreeMap<String, ManifestOutcome>>,
    /// Whether the managed settings of the request are in force.
    pub managed_settings_applied: Option<bool>,
    /// Whether `codeRunningMcpTools` of the request is in force.
    pub code_running_mcp_tools_applied: Option<bool>,
    /// The version of the CLI.
    pub claude_code_version: Option<String>,
    /// Whether fast mode is on.
    pub fast_mode_state: Option<String>,
    /// Why fast mode cannot be turned on.
    pub fast_mode_disabled_reason: Option<String>,
    /// The CLI's process.
    pub pid: Option<u32>,
    /// The permission mode.
    pub current_permission_mode: Option<PermissionMode>,
    /// Whether a turn runs.
    pub session_state: Option<String>,
    /// What the CLI can do. The list of the `init` message is longer.
    pub capabilities: Option<Vec<String>>,
    /// Where the user's output styles are.
    pub user_output_styles_dir: Option<String>,
    /// Whether a question that another hook asks outranks the host's own decision.
    pub other_hook_ask_outranks_host: Option<bool>,
    /// How feedback is gathered.
    pub feedback_mode: Option<Value>,
    /// Whether analytics are off.
    pub analytics_disabled: Option<bool>,
    /// Whether the session can be controlled from another device.
    pub remote_control_available: Option<bool>,
}

/// A slash command, or a skill.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SlashCommand {
    /// Its name, without the slash.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What may stand behind it.
    pub argument_hint: String,
    /// Its other names.
    pub aliases: Option<Vec<String>>,
    /// Whether it comes with the CLI.
    pub builtin: Option<bool>,
}

/// An agent that the model can hand work to.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct AgentInfo {
    /// Its name.
    pub name: String,
    /// When to use it.
    pub description: String,
    /// Its model.
    pub model: Option<String>,
}

/// Who pays for the session.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AccountInfo {
    /// The address of the account.
    pub email: Option<String>,
    /// The organization of the account.
    pub organization: Option<String>,
    /// The plan.
    pub subscription_type: Option<String>,
    /// Where the token comes from.
    pub token_source: Option<String>,
    /// Where the API key comes from.
    pub api_key_source: Option<String>,
    /// Who serves the model.
    pub api_provider: Option<ApiProvider>,
}

/// Who serves the model.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum ApiProvider {
    /// Anthropic.
    FirstParty,
    /// Amazon Bedrock.
    Bedrock,
    /// Google Vertex AI.
    Vertex,
    /// Microsoft Foundry.
    Foundry,
    /// Anthropic on AWS.
    AnthropicAws,
    /// Anthropic on Google Cloud.
    AnthropicGoogleCloud,
    /// Mantle.
    Mantle,
    /// A gateway.
    Gateway,
    /// A value that this version does not know.
    Unknown(String),
}

/// What became of the manifest of an MCP server in the host's process.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ManifestOutcome {
    /// It is used in place of the handshake.
    Parked,
    /// The server was connected before.
    AlreadyConnected,
    /// It speaks another version of MCP.
    ProtocolVersionMismatch,
    /// It could not be read.
    Malformed,
    /// The CLI does not use manifests here.
    NotHonoured,
    /// A value that this version does not know.
    Unknown(String),
}
