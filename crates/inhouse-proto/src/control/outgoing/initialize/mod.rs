//! The `initialize` request, which a host sends first, its parts and its reply.

mod agent_definition;
mod hook_matcher;
mod plugin;
mod reply;
mod request;
mod sdk_mcp_server;

pub use self::agent_definition::{AgentDefinition, AgentEffort, AgentMcpServer, AgentMemory};
pub use self::hook_matcher::{HookMatcher, OnFailure};
pub use self::plugin::PluginConfig;
pub use self::reply::{
    AccountInfo, AgentInfo, ApiProvider, InitializeReply, ManifestOutcome, SlashCommand,
};
pub use self::request::Initialize;
pub use self::sdk_mcp_server::{SdkMcpServerConfig, ToolPermissionPolicy, ToolPolicy};
