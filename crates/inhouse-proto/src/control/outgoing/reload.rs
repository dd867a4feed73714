use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

use super::mcp::McpServerStatus;
use super::{AgentInfo, Plugin, SlashCommand};

/// Loads plugins again.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReloadPlugins {
    /// Whether to hold back changes that would spoil the prompt cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold_on_cache_impact: Option<bool>,
    /// Plugins to add.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub add_plugins: Option<Vec<Plugin>>,
    /// Whether to refuse while a turn runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refuse_if_busy: Option<bool>,
}

impl ReloadPlugins {
    /// Creates the request without its optional members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether to hold back changes that would spoil the prompt cache.
    #[must_use]
    pub fn hold_on_cache_impact(mut self, hold_on_cache_impact: bool) -> Self {
        self.hold_on_cache_impact = Some(hold_on_cache_impact);
        self
    }

    /// Plugins to add.
    #[must_use]
    pub fn add_plugins(mut self, add_plugins: Vec<Plugin>) -> Self {
        self.add_plugins = Some(add_plugins);
        self
    }

    /// Whether to refuse while a turn runs.
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

/// What there is after [`ReloadPlugins`].
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ReloadPluginsReply {
    /// The slash commands.
    pub commands: Vec<SlashCommand>,
    /// The agents.
    pub agents: Vec<AgentInfo>,
    /// The plugins.
    pub plugins: Vec<LoadedPlugin>,
    /// The MCP servers.
    #[serde(rename = "mcpServers")]
    pub mcp_servers: Vec<McpServerStatus>,
    /// How many plugins failed to load.
    pub error_count: u64,
    /// Whether the changes were held back.
    pub held: Option<bool>,
    /// What they would do to the prompt cache.
    pub cache_impact: Option<Value>,
}

/// A plugin that is loaded.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct LoadedPlugin {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub path: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// Its version.
    pub version: Option<String>,
}

/// Loads skills again.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReloadSkills {}

impl ReloadSkills {
    /// Creates the request.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ControlRequest for ReloadSkills {
    const SUBTYPE: &'static str = "reload_skills";
    type Reply = ReloadSkillsReply;
}

/// The reply to [`ReloadSkills`].
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ReloadSkillsReply {
    /// The skills.
    pub skills: Vec<SlashCommand>,
}

/// Loads output styles again.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReloadOutputStyles {}

impl ReloadOutputStyles {
    /// Creates the request.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ControlRequest for ReloadOutputStyles {
    const SUBTYPE: &'static str = "reload_output_styles";
    type Reply = ReloadOutputStylesReply;
}

/// The reply to [`ReloadOutputStyles`].
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ReloadOutputStylesReply {
    /// The names of the styles.
    pub available_output_styles: Vec<String>,
}
