use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

use super::mcp::McpServerStatus;
use super::{AgentInfo, PluginConfig, SlashCommand};

/// Request to reload the plugins.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReloadPlugins {
    /// Whether the CLI holds back changes that would invalidate the prompt cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold_on_cache_impact: Option<bool>,
    /// Plugins to add to the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub add_plugins: Option<Vec<PluginConfig>>,
    /// Whether the CLI rejects the request while a turn is running, with the error code `reload_plugins_busy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refuse_if_busy: Option<bool>,
}

impl ReloadPlugins {
    /// Creates a request without optional members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether the CLI holds back changes that would invalidate the prompt cache.
    #[must_use]
    pub fn hold_on_cache_impact(mut self, hold_on_cache_impact: bool) -> Self {
        self.hold_on_cache_impact = Some(hold_on_cache_impact);
        self
    }

    /// Sets the plugins to add to the session.
    #[must_use]
    pub fn add_plugins(mut self, add_plugins: Vec<PluginConfig>) -> Self {
        self.add_plugins = Some(add_plugins);
        self
    }

    /// Sets whether the CLI rejects the request while a turn is running.
    #[must_use]
    pub fn refuse_if_busy(mut self, refuse_if_busy: bool) -> Self {
        self.refuse_if_busy = Some(refuse_if_busy);
        self
    }
}

impl ControlRequest for ReloadPlugins {
    const SUBTYPE: &'static str = "reload_plugins";
    type Reply = ReloadPluginsReply;
}

/// The reply to [`ReloadPlugins`]: the contents of the session after the reload.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ReloadPluginsReply {
    /// Slash commands that the session has.
    pub commands: Vec<SlashCommand>,
    /// Agents that the model can delegate work to.
    pub agents: Vec<AgentInfo>,
    /// Plugins that are loaded.
    pub plugins: Vec<LoadedPlugin>,
    /// State of the MCP servers.
    #[serde(rename = "mcpServers")]
    pub mcp_servers: Vec<McpServerStatus>,
    /// Number of plugins that failed to load.
    pub error_count: u64,
    /// Whether the changes were held back.
    pub held: Option<bool>,
    /// Effect of the changes on the prompt cache, as the CLI sends it.
    pub cache_impact: Option<Value>,
}

/// A plugin that is loaded.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct LoadedPlugin {
    /// Name of the plugin.
    pub name: String,
    /// Path of the plugin's directory, or `builtin`.
    pub path: Option<String>,
    /// Source that the plugin comes from, such as `p@builtin`.
    pub source: Option<String>,
    /// Version of the plugin.
    pub version: Option<String>,
}

/// Request to reload the skills.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReloadSkills {}

impl ReloadSkills {
    /// Creates a request without members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ControlRequest for ReloadSkills {
    const SUBTYPE: &'static str = "reload_skills";
    type Reply = ReloadSkillsReply;
}

/// The reply to [`ReloadSkills`]: the skills after the reload.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ReloadSkillsReply {
    /// Skills that the session has.
    pub skills: Vec<SlashCommand>,
}

/// Request to reload the output styles.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReloadOutputStyles {}

impl ReloadOutputStyles {
    /// Creates a request without members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ControlRequest for ReloadOutputStyles {
    const SUBTYPE: &'static str = "reload_output_styles";
    type Reply = ReloadOutputStylesReply;
}

/// The reply to [`ReloadOutputStyles`]: the output styles after the reload.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ReloadOutputStylesReply {
    /// Names of the available output styles.
    pub available_output_styles: Vec<String>,
}
