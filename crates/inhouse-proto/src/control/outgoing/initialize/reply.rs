use inhouse_macros::Open;
use std::collections::BTreeMap;

use serde_json::Value;

use super::super::model::ModelInfo;
use crate::control::PermissionMode;

/// The reply to [`Initialize`](super::Initialize): properties of the CLI and of the session.
///
/// No member is required: CLI 2.1.197 sends only the first six and `pid`, and a member of an unexpected type must not
/// prevent a session from starting.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct InitializeReply {
    /// Slash commands that the session has.
    pub commands: Option<Vec<SlashCommand>>,
    /// Agents that the model can delegate work to.
    pub agents: Option<Vec<AgentInfo>>,
    /// Models that the session can use.
    pub models: Option<Vec<ModelInfo>>,
    /// Account that is billed for the session.
    pub account: Option<AccountInfo>,
    /// Name of the output style in use.
    pub output_style: Option<String>,
    /// Names of the available output styles.
    pub available_output_styles: Option<Vec<String>>,
    /// Whether the hooks of the request were registered; `None` if it had none.
    pub hooks_applied: Option<bool>,
    /// Whether the CLI supports [`OnFailure`](super::OnFailure).
    pub hook_on_failure_supported: Option<bool>,
    /// Whether the plugins of the request were loaded; `None` if it had none.
    pub plugins_applied: Option<bool>,
    /// Outcome for each manifest of the request, by server name.
    pub sdk_mcp_manifests_parked: Option<BTreeMap<String, ManifestOutcome>>,
    /// Whether the managed settings of the request are in effect.
    pub managed_settings_applied: Option<bool>,
    /// Whether the member `codeRunningMcpTools` of the request is in effect.
    pub code_running_mcp_tools_applied: Option<bool>,
    /// Version of the CLI, such as `2.1.325`.
    pub claude_code_version: Option<String>,
    /// State of fast mode: `off`, `cooldown` or `on`.
    pub fast_mode_state: Option<String>,
    /// Reason why fast mode cannot be turned on, such as `sdk_opt_in_required`.
    pub fast_mode_disabled_reason: Option<String>,
    /// Process id of the CLI.
    pub pid: Option<u32>,
    /// Permission mode that is in effect.
    pub current_permission_mode: Option<PermissionMode>,
    /// State of the session, such as `idle`, which shows whether a turn is running.
    pub session_state: Option<String>,
    /// Features that the CLI supports. The list in the `init` message is longer.
    pub capabilities: Option<Vec<String>>,
    /// Directory that contains the user's output styles.
    pub user_output_styles_dir: Option<String>,
    /// Whether an `ask` decision of another hook takes precedence over the host's own decision.
    pub other_hook_ask_outranks_host: Option<bool>,
    /// Settings for the collection of feedback, as the CLI sends them.
    pub feedback_mode: Option<Value>,
    /// Whether analytics are disabled.
    pub analytics_disabled: Option<bool>,
    /// Whether the session can be controlled from another device.
    pub remote_control_available: Option<bool>,
}

/// A slash command or a skill.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SlashCommand {
    /// Name of the command, without the slash.
    pub name: String,
    /// Description of what the command does.
    pub description: String,
    /// Hint for the arguments that may follow the command, such as `<prompt>`.
    pub argument_hint: String,
    /// Other names of the command.
    pub aliases: Option<Vec<String>>,
    /// Whether the command is built into the CLI.
    pub builtin: Option<bool>,
}

/// An agent that the model can delegate work to, as the CLI lists it.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct AgentInfo {
    /// Name of the agent.
    pub name: String,
    /// Description of when to use the agent.
    pub description: String,
    /// Model of the agent, such as `inherit`.
    pub model: Option<String>,
}

/// Account that is billed for the session.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AccountInfo {
    /// Email address of the account.
    pub email: Option<String>,
    /// Organization that the account belongs to.
    pub organization: Option<String>,
    /// Subscription plan of the account.
    pub subscription_type: Option<String>,
    /// Source of the authentication token, such as `none`.
    pub token_source: Option<String>,
    /// Source of the API key, such as `ANTHROPIC_API_KEY`.
    pub api_key_source: Option<String>,
    /// Service that provides the model.
    pub api_provider: Option<ApiProvider>,
}

/// Service that provides the model.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum ApiProvider {
    /// Anthropic provides the model directly.
    FirstParty,
    /// Amazon Bedrock provides the model.
    Bedrock,
    /// Google Vertex AI provides the model.
    Vertex,
    /// Microsoft Foundry provides the model.
    Foundry,
    /// Anthropic provides the model on AWS.
    AnthropicAws,
    /// Anthropic provides the model on Google Cloud.
    AnthropicGoogleCloud,
    /// Mantle provides the model.
    Mantle,
    /// A gateway provides the model.
    Gateway,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Outcome for the manifest of an MCP server in the host's process.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ManifestOutcome {
    /// The CLI uses the manifest in place of the MCP handshake.
    Parked,
    /// The server was connected before the manifest arrived.
    AlreadyConnected,
    /// The manifest has a different version of the MCP protocol.
    ProtocolVersionMismatch,
    /// The CLI could not parse the manifest.
    Malformed,
    /// The CLI does not use manifests in this session.
    NotHonoured,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
