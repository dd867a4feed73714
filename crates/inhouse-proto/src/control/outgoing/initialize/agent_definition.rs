use inhouse_macros::Open;
use std::collections::BTreeMap;
use std::str::FromStr;

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::control::{Effort, PermissionMode};

/// An agent that the model can delegate work to.
///
/// ```
/// # mod inhouse { pub use inhouse_proto::control::outgoing as options; }
/// use inhouse::options::{AgentDefinition, AgentMemory};
///
/// let reviewer = AgentDefinition::new("Reviews changes", "You review.")
///     .tools(["Read", "Grep"])
///     .model("haiku")
///     .max_turns(5)
///     .memory(AgentMemory::Project);
/// assert_eq!(serde_json::to_value(&reviewer)?["maxTurns"], 5);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// Deserialized from the JSON that the CLI's flag `--agents` takes for each agent, for hosts with a configuration
/// file; [`FromStr`] reads JSON text. A member without a field and an unknown value are errors: a misspelt
/// `disallowedTools` must not give the agent more tools.
///
/// ```
/// # mod inhouse { pub use inhouse_proto::control::outgoing as options; }
/// use inhouse::options::AgentDefinition;
///
/// let reviewer: AgentDefinition =
///     r#"{"description": "Reviews changes", "prompt": "You review.", "disallowedTools": ["Bash"]}"#.parse()?;
/// assert_eq!(reviewer.disallowed_tools.as_deref(), Some(&["Bash".to_owned()][..]));
///
/// let error = r#"{"description": "d", "prompt": "p", "memory": "global"}"#.parse::<AgentDefinition>();
/// assert!(error.unwrap_err().to_string().contains("unknown variant `global`"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
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
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "known_memory"
    )]
    pub memory: Option<AgentMemory>,
    /// Amount of work that the agent puts into a turn.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "known_effort"
    )]
    pub effort: Option<AgentEffort>,
    /// Permission mode of the agent.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "known_permission_mode"
    )]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    ///
    /// ```
    /// # use inhouse_proto::control::outgoing::AgentDefinition;
    /// let agent = AgentDefinition::new("Reviews changes", "You review.");
    /// assert_eq!((&*agent.description, &*agent.prompt), ("Reviews changes", "You review."));
    /// ```
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
    ///
    /// ```
    /// # use inhouse_proto::control::outgoing::AgentDefinition;
    /// let agent = AgentDefinition::new("Reviews changes", "You review.").tools(["Read", "Grep"]);
    /// assert_eq!(agent.tools.unwrap(), ["Read", "Grep"]);
    /// ```
    #[must_use]
    pub fn tools<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.tools = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Removes the named tools from the agent.
    ///
    /// ```
    /// # use inhouse_proto::control::outgoing::AgentDefinition;
    /// let agent = AgentDefinition::new("Reviews changes", "You review.").disallowed_tools(["Bash"]);
    /// assert_eq!(agent.disallowed_tools.unwrap(), ["Bash"]);
    /// ```
    #[must_use]
    pub fn disallowed_tools<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.disallowed_tools = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the model of the agent: an alias, a full id, or `inherit`.
    ///
    /// ```
    /// # use inhouse_proto::control::outgoing::AgentDefinition;
    /// let agent = AgentDefinition::new("Reviews changes", "You review.").model("haiku");
    /// assert_eq!(agent.model.as_deref(), Some("haiku"));
    /// ```
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Sets the MCP servers that the agent can use.
    ///
    /// ```
    /// # use inhouse_proto::control::outgoing::{AgentDefinition, AgentMcpServer};
    /// let agent = AgentDefinition::new("Reviews changes", "You review.").mcp_servers(["issues"]);
    /// assert_eq!(agent.mcp_servers.unwrap(), [AgentMcpServer::Named("issues".to_owned())]);
    /// ```
    #[must_use]
    pub fn mcp_servers<S: Into<AgentMcpServer>>(
        mut self,
        servers: impl IntoIterator<Item = S>,
    ) -> Self {
        self.mcp_servers = Some(servers.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the skills that the agent has.
    ///
    /// ```
    /// # use inhouse_proto::control::outgoing::AgentDefinition;
    /// let agent = AgentDefinition::new("Reviews changes", "You review.").skills(["release-notes"]);
    /// assert_eq!(agent.skills.unwrap(), ["release-notes"]);
    /// ```
    #[must_use]
    pub fn skills<S: Into<String>>(mut self, skills: impl IntoIterator<Item = S>) -> Self {
        self.skills = Some(skills.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the prompt that the agent receives first if it is the main agent of the session.
    ///
    /// ```
    /// # use inhouse_proto::control::outgoing::AgentDefinition;
    /// let agent = AgentDefinition::new("Reviews changes", "You review.").initial_prompt("Begin.");
    /// assert_eq!(agent.initial_prompt.as_deref(), Some("Begin."));
    /// ```
    #[must_use]
    pub fn initial_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.initial_prompt = Some(prompt.into());
        self
    }

    /// Limits the number of turns of the agent.
    ///
    /// ```
    /// # use inhouse_proto::control::outgoing::AgentDefinition;
    /// let agent = AgentDefinition::new("Reviews changes", "You review.").max_turns(5);
    /// assert_eq!(agent.max_turns, Some(5));
    /// ```
    #[must_use]
    pub fn max_turns(mut self, turns: u32) -> Self {
        self.max_turns = Some(turns);
        self
    }

    /// Sets the number of tokens at which the CLI compacts the conversation of the agent.
    ///
    /// ```
    /// # use inhouse_proto::control::outgoing::AgentDefinition;
    /// let agent = AgentDefinition::new("Reviews changes", "You review.").auto_compact_window(100_000);
    /// assert_eq!(agent.auto_compact_window, Some(100_000));
    /// ```
    #[must_use]
    pub fn auto_compact_window(mut self, tokens: u64) -> Self {
        self.auto_compact_window = Some(tokens);
        self
    }

    /// Sets whether the agent runs in the background.
    ///
    /// ```
    /// # use inhouse_proto::control::outgoing::AgentDefinition;
    /// let agent = AgentDefinition::new("Reviews changes", "You review.").background(true);
    /// assert_eq!(agent.background, Some(true));
    /// ```
    #[must_use]
    pub fn background(mut self, on: bool) -> Self {
        self.background = Some(on);
        self
    }

    /// Sets whether CLAUDE.md is left out of the agent's context.
    ///
    /// ```
    /// # use inhouse_proto::control::outgoing::AgentDefinition;
    /// let agent = AgentDefinition::new("Reviews changes", "You review.").omit_claude_md(true);
    /// assert_eq!(agent.omit_claude_md, Some(true));
    /// ```
    #[must_use]
    pub fn omit_claude_md(mut self, on: bool) -> Self {
        self.omit_claude_md = Some(on);
        self
    }

    /// Sets the location of the agent's persistent memory.
    ///
    /// ```
    /// # use inhouse_proto::control::outgoing::{AgentDefinition, AgentMemory};
    /// let agent = AgentDefinition::new("Reviews changes", "You review.").memory(AgentMemory::Project);
    /// assert_eq!(agent.memory, Some(AgentMemory::Project));
    /// ```
    #[must_use]
    pub fn memory(mut self, memory: AgentMemory) -> Self {
        self.memory = Some(memory);
        self
    }

    /// Sets the amount of work that the agent puts into a turn.
    ///
    /// ```
    /// # use inhouse_proto::control::{Effort, outgoing::AgentDefinition};
    /// let agent = AgentDefinition::new("Reviews changes", "You review.").effort(Effort::High);
    /// assert_eq!(agent.effort, Some(Effort::High.into()));
    /// ```
    #[must_use]
    pub fn effort(mut self, effort: impl Into<AgentEffort>) -> Self {
        self.effort = Some(effort.into());
        self
    }

    /// Sets the permission mode of the agent.
    ///
    /// ```
    /// # use inhouse_proto::control::{PermissionMode, outgoing::AgentDefinition};
    /// let agent = AgentDefinition::new("Reviews changes", "You review.").permission_mode(PermissionMode::Plan);
    /// assert_eq!(agent.permission_mode, Some(PermissionMode::Plan));
    /// ```
    #[must_use]
    pub fn permission_mode(mut self, mode: PermissionMode) -> Self {
        self.permission_mode = Some(mode);
        self
    }

    /// Sets the agent that observes this one, by name.
    ///
    /// ```
    /// # use inhouse_proto::control::outgoing::AgentDefinition;
    /// let agent = AgentDefinition::new("Reviews changes", "You review.").observer("auditor");
    /// assert_eq!(agent.observer.as_deref(), Some("auditor"));
    /// ```
    #[must_use]
    pub fn observer(mut self, agent: impl Into<String>) -> Self {
        self.observer = Some(agent.into());
        self
    }

    /// Sets the message that the observer receives.
    ///
    /// ```
    /// # use inhouse_proto::control::outgoing::AgentDefinition;
    /// let agent = AgentDefinition::new("Reviews changes", "You review.")
    ///     .observer("auditor")
    ///     .observer_message("Look for secrets.");
    /// assert_eq!(agent.observer_message.as_deref(), Some("Look for secrets."));
    /// ```
    #[must_use]
    pub fn observer_message(mut self, message: impl Into<String>) -> Self {
        self.observer_message = Some(message.into());
        self
    }

    /// Sets a reminder that is repeated in every turn. The member is experimental in the CLI.
    ///
    /// ```
    /// # use inhouse_proto::control::outgoing::AgentDefinition;
    /// let agent = AgentDefinition::new("Reviews changes", "You review.").critical_system_reminder("Change no file.");
    /// assert_eq!(agent.critical_system_reminder.as_deref(), Some("Change no file."));
    /// ```
    #[must_use]
    pub fn critical_system_reminder(mut self, reminder: impl Into<String>) -> Self {
        self.critical_system_reminder = Some(reminder.into());
        self
    }
}

/// Reads a definition from JSON text.
impl FromStr for AgentDefinition {
    type Err = serde_json::Error;

    fn from_str(json: &str) -> Result<Self, Self::Err> {
        serde_json::from_str(json)
    }
}

fn known_memory<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<AgentMemory>, D::Error> {
    match Option::deserialize(deserializer)? {
        Some(AgentMemory::Unknown(value)) => Err(D::Error::unknown_variant(
            &value,
            &["user", "project", "local"],
        )),
        memory => Ok(memory),
    }
}

fn known_effort<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<AgentEffort>, D::Error> {
    match Option::deserialize(deserializer)? {
        Some(AgentEffort::Level(Effort::Unknown(value))) => Err(D::Error::unknown_variant(
            &value,
            &["low", "medium", "high", "xhigh", "max"],
        )),
        effort => Ok(effort),
    }
}

fn known_permission_mode<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<PermissionMode>, D::Error> {
    match Option::deserialize(deserializer)? {
        Some(PermissionMode::Unknown(value)) => Err(D::Error::unknown_variant(
            &value,
            &[
                "default",
                "acceptEdits",
                "bypassPermissions",
                "plan",
                "dontAsk",
                "auto",
            ],
        )),
        mode => Ok(mode),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn definition_round_trips_through_json() {
        let full = AgentDefinition::new("Reviews diffs", "Review the diff.")
            .tools(["Read"])
            .disallowed_tools(["Bash"])
            .model("inherit")
            .mcp_servers([
                AgentMcpServer::from("calc"),
                AgentMcpServer::Inline(BTreeMap::from([(
                    "crm".to_owned(),
                    json!({"command": "crm"}),
                )])),
            ])
            .skills(["dataviz"])
            .initial_prompt("Begin.")
            .max_turns(4)
            .auto_compact_window(100_000)
            .background(true)
            .omit_claude_md(true)
            .memory(AgentMemory::Project)
            .effort(Effort::High)
            .permission_mode(PermissionMode::DontAsk)
            .observer("watcher")
            .observer_message("Watch.")
            .critical_system_reminder("Careful.");
        let number = AgentDefinition::new("Thinks", "Think.").effort(7);
        for definition in [full, number, AgentDefinition::new("d", "p")] {
            let json = serde_json::to_string(&definition).expect("serializable");
            assert_eq!(json.parse::<AgentDefinition>().expect("valid"), definition);
        }
    }

    #[test]
    fn unknown_members_and_values_are_errors() {
        for (member, value, error) in [
            (
                "disalowedTools",
                json!([]),
                "unknown field `disalowedTools`",
            ),
            ("memory", json!("global"), "unknown variant `global`"),
            ("effort", json!("huge"), "unknown variant `huge`"),
            ("permissionMode", json!("yolo"), "unknown variant `yolo`"),
            ("tools", json!("Read"), "expected a sequence"),
        ] {
            let mut definition = json!({"description": "d", "prompt": "p"});
            definition[member] = value;
            let refused = serde_json::from_value::<AgentDefinition>(definition);
            let text = refused.expect_err("invalid definition").to_string();
            assert!(text.contains(error), "{text}");
        }
        let refused = r#"{"description": "d"}"#.parse::<AgentDefinition>();
        let text = refused.expect_err("invalid definition").to_string();
        assert!(text.contains("missing field `prompt`"), "{text}");
    }
}
