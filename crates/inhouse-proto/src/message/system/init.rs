use crate::control::outgoing::McpConnection;
use crate::control::{Effort, PermissionMode};
use crate::message::{FastModeDisabledReason, FastModeState};
use inhouse_macros::Open;

/// Message that describes the session: its model, tools, MCP servers, commands and plugins.
///
/// Sent at the start of **every** turn, normally as the first message; the newest one replaces all earlier ones. The
/// CLI sends none before the first prompt: read the response to `initialize` for data that is needed earlier.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct InitMessage {
    /// Source of the credentials.
    #[serde(rename = "apiKeySource")]
    pub api_key_source: Option<ApiKeySource>,
    /// The version of the CLI.
    pub claude_code_version: Option<String>,
    /// The working directory of the session.
    pub cwd: Option<String>,
    /// The model that the session uses.
    pub model: Option<String>,
    /// The permission mode, which determines how the CLI decides about tool calls.
    #[serde(rename = "permissionMode")]
    pub permission_mode: Option<PermissionMode>,
    /// The names of the tools that are available to the model.
    pub tools: Option<Vec<String>>,
    /// The MCP servers of the session.
    pub mcp_servers: Option<Vec<InitMcpServer>>,
    /// The names of the slash commands.
    pub slash_commands: Option<Vec<String>>,
    /// The names of those slash commands that need a terminal.
    pub terminal_slash_commands: Option<Vec<String>>,
    /// The name of the output style.
    pub output_style: Option<String>,
    /// The names of the skills.
    pub skills: Option<Vec<String>>,
    /// The plugins that are loaded.
    pub plugins: Option<Vec<InitPlugin>>,
    /// Errors of plugins. `None` if there are none.
    pub plugin_errors: Option<Vec<InitPluginError>>,
    /// The types of subagents that are available.
    pub agents: Option<Vec<String>>,
    /// The API betas in use.
    pub betas: Option<Vec<String>>,
    /// State of the fast mode.
    pub fast_mode_state: Option<FastModeState>,
    /// Reason why fast mode is off.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
    /// The effort level of the model. Sent to remote-control hosts only.
    pub effort: Option<Effort>,
    /// Display mode of the conversation.
    pub view_mode: Option<ViewMode>,
    /// Names of the features that this CLI supports. Check for a name here instead of comparing versions.
    pub capabilities: Option<Vec<String>>,
    /// Directories of the session besides the working directory. Not in the official SDK's types.
    pub additional_directories: Option<Vec<String>>,
    /// The working directory in which the session started. Not in the official SDK's types.
    pub original_cwd: Option<String>,
    /// The ids of the prompts that the turn starts with. Not in the official SDK's types.
    pub user_message_uuids: Option<Vec<String>>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

impl InitMessage {
    /// Returns whether the CLI lists a capability, such as `interrupt_receipt_v1`.
    #[must_use]
    pub fn is_capable_of(&self, capability: &str) -> bool {
        self.capabilities
            .iter()
            .flatten()
            .any(|name| name == capability)
    }
}

/// Source of the credentials.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum ApiKeySource {
    /// The key comes from the environment variable `ANTHROPIC_API_KEY`.
    #[serde(rename = "ANTHROPIC_API_KEY")]
    AnthropicApiKey,
    /// The key comes from a helper program.
    ApiKeyHelper,
    /// The key was created by a login.
    #[serde(rename = "/login managed key")]
    LoginManagedKey,
    /// There is no API key.
    None,
    /// The key comes from the user's settings. Sent by older CLIs only.
    User,
    /// The key comes from the project's settings. Sent by older CLIs only.
    Project,
    /// The key comes from the organization. Sent by older CLIs only.
    Org,
    /// The key is valid for this session only. Sent by older CLIs only.
    Temporary,
    /// The credentials come from an OAuth login. Sent by older CLIs only.
    Oauth,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// MCP server of the session.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct InitMcpServer {
    /// The name of the server.
    pub name: String,
    /// Connection status of the server.
    pub status: Option<McpConnection>,
    /// Source of the server: `sdk`, `plugin`, or the scope of a configuration.
    pub source: Option<String>,
}

/// Plugin of the session.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct InitPlugin {
    /// The name of the plugin.
    pub name: String,
    /// The path of the plugin.
    pub path: Option<String>,
    /// The version of the plugin.
    pub version: Option<String>,
}

/// Error of a plugin.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct InitPluginError {
    /// The plugin that the error is about.
    pub plugin: Option<String>,
    /// The kind of error.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Description of the error.
    pub message: Option<String>,
    /// The file that the error is about.
    pub path: Option<String>,
    /// The administrator's rule that caused the error.
    pub managed_lock: Option<ManagedLock>,
}

/// Rule of an administrator that forces a plugin on or off.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ManagedLock {
    /// Whether the plugin must be enabled (`true`) or disabled (`false`).
    pub plugin_enabled: Option<bool>,
    /// The name of the plugin.
    pub name: Option<String>,
    /// The marketplace that the plugin comes from.
    pub marketplace: Option<String>,
}

/// Display mode of the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ViewMode {
    /// Only the important parts are shown.
    Focus,
    /// The whole conversation is shown.
    Default,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
