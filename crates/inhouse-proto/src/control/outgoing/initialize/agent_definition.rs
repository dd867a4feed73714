use inhouse_macros::Open;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::control::{Effort, PermissionMode};

/// An agent that the model can delegate work to.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgentDefinition {
    /// Description of when to use the agent. The model reads it to choose an agent.
    pub description: String,
    /// System prompt of the agent.
    pub prompt: String,
    /// Names of the tools that the agent has. `None` gives it the tools of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Names of the tools that the agent does not have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disallowed_tools: Option<Vec<String>>,
    /// Model of the agent: an alias, a full id, or `inherit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// MCP servers that the agent can use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_servers: Option<Vec<AgentMcpServer>>,
    /// Names of the skills that the agent has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skills: Option<Vec<String>>,
    /// Prompt that the agent receives first if it is the main agent of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_prompt: Option<String>,
    /// Maximum number of turns of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    /// Number of tokens at which the CLI compacts the conversation of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_compact_window: Option<u64>,
    /// Whether the agent runs in the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background: Option<bool>,
    /// Whether CLAUDE.md is left out of the agent's context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omit_claude_md: Option<bool>,
    /// Location of the agent's persistent memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<AgentMemory>,
    /// Amount of work that the agent puts into a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<AgentEffort>,
    /// Permission mode of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<PermissionMode>,
    /// Name of the agent that observes this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observer: Option<String>,
    /// Message that the observer receives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observer_message: Option<String>,
    /// Reminder that is repeated in every turn. The member is experimental in the CLI.
    #[serde(
        rename = "criticalSystemReminder_EXPERIMENTAL",
        skip_serializing_if = "Option::is_none"
    )]
    pub critical_system_reminder: Option<String>,
}

/// An MCP server that an agent can use.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum AgentMcpServer {
    /// Name of a server that the session has.
    Named(String),
    /// Servers for this agent only, by name, configured as in an MCP configuration file.
    Inline(BTreeMap<String, Value>),
}

impl From<&str> for AgentMcpServer {
    fn from(name: &str) -> Self {
        Self::Named(name.to_owned())
    }
}

impl From<String> for AgentMcpServer {
    fn from(name: String) -> Self {
        Self::Named(name)
    }
}

/// Amount of work that an agent puts into a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum AgentEffort {
    /// A named level of effort.
    Level(Effort),
    /// A number, for models that accept one.
    Number(u32),
}

impl From<Effort> for AgentEffort {
    fn from(level: Effort) -> Self {
        Self::Level(level)
    }
}

impl From<u32> for AgentEffort {
    fn from(number: u32) -> Self {
        Self::Number(number)
    }
}

/// Location of an agent's persistent memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AgentMemory {
    /// The memory belongs to the user and is shared by all projects.
    User,
    /// The memory belongs to the project.
    Project,
    /// The memory belongs to the project on this machine only.
    Local,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

impl AgentDefinition {
    /// Creates an agent from a description, which the model reads, and a system prompt.
    #[must_use]
    pub fn new(description: impl Into<String>, prompt: impl Into<String>) -> Self {
        Self {
            description: description.into(),
            prompt: prompt.into(),
            tools: None,
            disallowed_tools: None,
            model: None,
            mcp_servers: None,
            skills: None,
            initial_prompt: None,
            max_turns: None,
            auto_compact_window: None,
            background: None,
            omit_claude_md: None,
            memory: None,
            effort: None,
            permission_mode: None,
            observer: None,
            observer_message: None,
            critical_system_reminder: None,
        }
    }

    /// Limits the agent to the named tools.
    #[must_use]
    pub fn tools<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.tools = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Removes the named tools from the agent.
    #[must_use]
    pub fn disallowed_tools<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.disallowed_tools = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the model of the agent: an alias, a full id, or `inherit`.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Sets the MCP servers that the agent can use.
    #[must_use]
    pub fn mcp_servers<S: Into<AgentMcpServer>>(
        mut self,
        servers: impl IntoIterator<Item = S>,
    ) -> Self {
        self.mcp_servers = Some(servers.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the skills that the agent has.
    #[must_use]
    pub fn skills<S: Into<String>>(mut self, skills: impl IntoIterator<Item = S>) -> Self {
        self.skills = Some(skills.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the prompt that the agent receives first if it is the main agent of the session.
    #[must_use]
    pub fn initial_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.initial_prompt = Some(prompt.into());
        self
    }

    /// Limits the number of turns of the agent.
    #[must_use]
    pub fn max_turns(mut self, turns: u32) -> Self {
        self.max_turns = Some(turns);
        self
    }

    /// Sets the number of tokens at which the CLI compacts the conversation of the agent.
    #[must_use]
    pub fn auto_compact_window(mut self, tokens: u64) -> Self {
        self.auto_compact_window = Some(tokens);
        self
    }

    /// Sets whether the agent runs in the background.
    #[must_use]
    pub fn background(mut self, on: bool) -> Self {
        self.background = Some(on);
        self
    }

    /// Sets whether CLAUDE.md is left out of the agent's context.
    #[must_use]
    pub fn omit_claude_md(mut self, on: bool) -> Self {
        self.omit_claude_md = Some(on);
        self
    }

    /// Sets the location of the agent's persistent memory.
    #[must_use]
    pub fn memory(mut self, memory: AgentMemory) -> Self {
        self.memory = Some(memory);
        self
    }

    /// Sets the amount of work that the agent puts into a turn.
    #[must_use]
    pub fn effort(mut self, effort: impl Into<AgentEffort>) -> Self {
        self.effort = Some(effort.into());
        self
    }

    /// Sets the permission mode of the agent.
    #[must_use]
    pub fn permission_mode(mut self, mode: PermissionMode) -> Self {
        self.permission_mode = Some(mode);
        self
    }

    /// Sets the agent that observes this one, by name.
    #[must_use]
    pub fn observer(mut self, agent: impl Into<String>) -> Self {
        self.observer = Some(agent.into());
        self
    }

    /// Sets the message that the observer receives.
    #[must_use]
    pub fn observer_message(mut self, message: impl Into<String>) -> Self {
        self.observer_message = Some(message.into());
        self
    }

    /// Sets a reminder that is repeated in every turn. The member is experimental in the CLI.
    #[must_use]
    pub fn critical_system_reminder(mut self, reminder: impl Into<String>) -> Self {
        self.critical_system_reminder = Some(reminder.into());
        self
    }
}
