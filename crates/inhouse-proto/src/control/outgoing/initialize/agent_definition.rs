use inhouse_macros::Open;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::control::{EffortLevel, PermissionMode};

/// An agent that the model can hand work to.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgentDefinition {
    /// When to use it; the model reads this.
    pub description: String,
    /// Its system prompt.
    pub prompt: String,
    /// The tools that it has; those of the session if there is no list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// The tools that it does not have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disallowed_tools: Option<Vec<String>>,
    /// Its model: an alias, a full id, or `inherit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its MCP servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_servers: Option<Vec<AgentMcpServer>>,
    /// Its skills.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skills: Option<Vec<String>>,
    /// What it is told first when it is the main agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_prompt: Option<String>,
    /// The most turns that it may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    /// How many tokens make the CLI compact its conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_compact_window: Option<u64>,
    /// Whether it runs in the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background: Option<bool>,
    /// Whether it does without CLAUDE.md.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omit_claude_md: Option<bool>,
    /// Where it remembers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<AgentMemory>,
    /// How much work it puts into a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<AgentEffort>,
    /// Its permission mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<PermissionMode>,
    /// The agent that observes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observer: Option<String>,
    /// What the observer is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observer_message: Option<String>,
    /// A reminder that is repeated in every turn; experimental on the CLI's side.
    #[serde(
        rename = "criticalSystemReminder_EXPERIMENTAL",
        skip_serializing_if = "Option::is_none"
    )]
    pub critical_system_reminder: Option<String>,
}

/// An MCP server of an agent.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum AgentMcpServer {
    /// A server that the session has.
    Named(String),
    /// Servers of the agent's own, by name, configured as in an MCP configuration file.
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

/// How much work an agent puts into a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum AgentEffort {
    /// A level.
    Level(EffortLevel),
    /// A number, for models that take one.
    Number(u32),
}

impl From<EffortLevel> for AgentEffort {
    fn from(level: EffortLevel) -> Self {
        Self::Level(level)
    }
}

impl From<u32> for AgentEffort {
    fn from(number: u32) -> Self {
        Self::Number(number)
    }
}

/// Where an agent remembers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AgentMemory {
    /// With the user, for all projects.
    User,
    /// With the project.
    Project,
    /// With the project, on this machine.
    Local,
    /// A value that this version does not know.
    Unknown(String),
}

impl AgentDefinition {
    /// An agent with a description for the model and a system prompt.
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

    /// Limits its tools to these.
    #[must_use]
    pub fn tools<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.tools = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Takes tools away from it.
    #[must_use]
    pub fn disallowed_tools<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.disallowed_tools = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Sets its model: an alias, a full id, or `inherit`.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Sets its MCP servers.
    #[must_use]
    pub fn mcp_servers<S: Into<AgentMcpServer>>(
        mut self,
        servers: impl IntoIterator<Item = S>,
    ) -> Self {
        self.mcp_servers = Some(servers.into_iter().map(Into::into).collect());
        self
    }

    /// Sets its skills.
    #[must_use]
    pub fn skills<S: Into<String>>(mut self, skills: impl IntoIterator<Item = S>) -> Self {
        self.skills = Some(skills.into_iter().map(Into::into).collect());
        self
    }

    /// Sets what it is told first when it is the main agent.
    #[must_use]
    pub fn initial_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.initial_prompt = Some(prompt.into());
        self
    }

    /// Limits its turns.
    #[must_use]
    pub fn max_turns(mut self, turns: u32) -> Self {
        self.max_turns = Some(turns);
        self
    }

    /// Sets how many tokens make the CLI compact its conversation.
    #[must_use]
    pub fn auto_compact_window(mut self, tokens: u64) -> Self {
        self.auto_compact_window = Some(tokens);
        self
    }

    /// Runs it in the background.
    #[must_use]
    pub fn background(mut self, on: bool) -> Self {
        self.background = Some(on);
        self
    }

    /// Does without CLAUDE.md.
    #[must_use]
    pub fn omit_claude_md(mut self, on: bool) -> Self {
        self.omit_claude_md = Some(on);
        self
    }

    /// Gives it a memory.
    #[must_use]
    pub fn memory(mut self, memory: AgentMemory) -> Self {
        self.memory = Some(memory);
        self
    }

    /// Sets how much work it puts into a turn.
    #[must_use]
    pub fn effort(mut self, effort: impl Into<AgentEffort>) -> Self {
        self.effort = Some(effort.into());
        self
    }

    /// Sets its permission mode.
    #[must_use]
    pub fn permission_mode(mut self, mode: PermissionMode) -> Self {
        self.permission_mode = Some(mode);
        self
    }

    /// Names the agent that observes it.
    #[must_use]
    pub fn observer(mut self, agent: impl Into<String>) -> Self {
        self.observer = Some(agent.into());
        self
    }

    /// Sets what the observer is told.
    #[must_use]
    pub fn observer_message(mut self, message: impl Into<String>) -> Self {
        self.observer_message = Some(message.into());
        self
    }

    /// Sets a reminder that is repeated in every turn.
    #[must_use]
    pub fn critical_system_reminder(mut self, reminder: impl Into<String>) -> Self {
        self.critical_system_reminder = Some(reminder.into());
        self
    }
}
