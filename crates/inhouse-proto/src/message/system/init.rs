use crate::control::outgoing::McpConnection;
use crate::control::{EffortLevel, PermissionMode};
use crate::message::{FastModeDisabledReason, FastModeState};
use inhouse_macros::Open;

/// What the session consists of.
///
/// Sent at the start of **every** turn, normally first; the newest one counts. None comes before
/// the first prompt: what is needed earlier stands in the answer to `initialize`.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct InitMessage {
    /// Where the credentials come from.
    #[serde(rename = "apiKeySource")]
    pub api_key_source: Option<ApiKeySource>,
    /// The version of the CLI.
    pub claude_code_version: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// How the CLI decides about tool calls.
    #[serde(rename = "permissionMode")]
    pub permission_mode: Option<PermissionMode>,
    /// The tools that the model has.
    pub tools: Option<Vec<String>>,
    /// The MCP servers.
    pub mcp_servers: Option<Vec<InitMcpServer>>,
    /// The slash commands.
    pub slash_commands: Option<Vec<String>>,
    /// Those of them that need a terminal.
    pub terminal_slash_commands: Option<Vec<String>>,
    /// The output style.
    pub output_style: Option<String>,
    /// The skills.
    pub skills: Option<Vec<String>>,
    /// The plugins.
    pub plugins: Option<Vec<InitPlugin>>,
    /// What went wrong with plugins; absent when nothing did.
    pub plugin_errors: Option<Vec<InitPluginError>>,
    /// The kinds of subagents.
    pub agents: Option<Vec<String>>,
    /// The API betas in use.
    pub betas: Option<Vec<String>>,
    /// Whether fast mode is on.
    pub fast_mode_state: Option<FastModeState>,
    /// Why fast mode is off.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
    /// How much work the model puts in; on remote-control hosts only.
    pub effort: Option<EffortLevel>,
    /// How the conversation is shown.
    pub view_mode: Option<ViewMode>,
    /// What this CLI can do, by name; ask here rather than comparing versions.
    pub capabilities: Option<Vec<String>>,
    /// Directories besides the working directory. Not declared by the CLI.
    pub additional_directories: Option<Vec<String>>,
    /// The working directory at the start. Not declared by the CLI.
    pub original_cwd: Option<String>,
    /// The prompts that the turn begins with. Not declared by the CLI.
    pub user_message_uuids: Option<Vec<String>>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

impl InitMessage {
    /// Whether the CLI says that it can do something, such as `interrupt_receipt_v1`.
    #[must_use]
    pub fn is_capable_of(&self, capability: &str) -> bool {
        self.capabilities
            .iter()
            .flatten()
            .any(|name| name == capability)
    }
}

/// Where credentials come from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum ApiKeySource {
    /// The environment.
    #[serde(rename = "ANTHROPIC_API_KEY")]
    AnthropicApiKey,
    /// A helper program.
    ApiKeyHelper,
    /// A key that a login made.
    #[serde(rename = "/login managed key")]
    LoginManagedKey,
    /// There is no key.
    None,
    /// Older CLIs: the user's settings.
    User,
    /// Older CLIs: the project's settings.
    Project,
    /// Older CLIs: the organization.
    Org,
    /// Older CLIs: a key for this session only.
    Temporary,
    /// Older CLIs: a login.
    Oauth,
    /// A value that this version does not know.
    Unknown(String),
}

/// An MCP server of the session.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct InitMcpServer {
    /// Its name.
    pub name: String,
    /// Whether it is connected.
    pub status: Option<McpConnection>,
    /// Who brought it: `sdk`, `plugin`, or the scope of a configuration.
    pub source: Option<String>,
}

/// A plugin of the session.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct InitPlugin {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub path: Option<String>,
    /// Its version.
    pub version: Option<String>,
}

/// What went wrong with a plugin.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct InitPluginError {
    /// The plugin.
    pub plugin: Option<String>,
    /// The kind of error.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The error in words.
    pub message: Option<String>,
    /// The file that it is about.
    pub path: Option<String>,
    /// The administrator's rule that it is about.
    pub managed_lock: Option<ManagedLock>,
}

/// An administrator's rule about a plugin.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ManagedLock {
    /// Whether the plugin must be on or off.
    pub plugin_enabled: Option<bool>,
    /// The plugin.
    pub name: Option<String>,
    /// The marketplace from which it comes.
    pub marketplace: Option<String>,
}

/// How a conversation is shown.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ViewMode {
    /// Only what matters.
    Focus,
    /// Everything.
    Default,
    /// A value that this version does not know.
    Unknown(String),
}
