use serde_json::Value;

use super::declare::control_request;
use super::mcp::McpServerStatus;
use super::{AgentInfo, Plugin, SlashCommand};
use crate::open::open_struct;

control_request! {
    /// Loads plugins again.
    pub struct ReloadPlugins("reload_plugins") -> ReloadPluginsReply
    accepts {
        /// Whether to hold back changes that would spoil the prompt cache.
        hold_on_cache_impact: bool,
        /// Plugins to add.
        add_plugins: Vec<Plugin>,
        /// Whether to refuse while a turn runs.
        refuse_if_busy: bool,
    }
}

open_struct! {
    /// What there is after [`ReloadPlugins`].
    pub struct ReloadPluginsReply {
        /// The slash commands.
        pub commands: Vec<SlashCommand>,
        /// The agents.
        pub agents: Vec<AgentInfo>,
        /// The plugins.
        pub plugins: Vec<LoadedPlugin>,
        /// The MCP servers.
        pub mcp_servers as "mcpServers": Vec<McpServerStatus>,
        /// How many plugins failed to load.
        pub error_count: u64,
        /// Whether the changes were held back.
        pub held: Option<bool>,
        /// What they would do to the prompt cache.
        pub cache_impact: Option<Value>,
    }
}

open_struct! {
    /// A plugin that is loaded.
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
}

control_request! {
    /// Loads skills again.
    pub struct ReloadSkills("reload_skills") -> ReloadSkillsReply
}

open_struct! {
    /// The reply to [`ReloadSkills`].
    pub struct ReloadSkillsReply {
        /// The skills.
        pub skills: Vec<SlashCommand>,
    }
}

control_request! {
    /// Loads output styles again.
    pub struct ReloadOutputStyles("reload_output_styles") -> ReloadOutputStylesReply
}

open_struct! {
    /// The reply to [`ReloadOutputStyles`].
    pub struct ReloadOutputStylesReply {
        /// The names of the styles.
        pub available_output_styles: Vec<String>,
    }
}
