use crate::control::ControlRequest;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{AgentDefinition, HookMatcher, InitializeReply, Plugin, SdkMcpServerConfig};

/// Begins a conversation: what the host offers, and how the session is set up.
///
/// Every member may be left out. It may be sent again later: hooks are then replaced.
///
/// ```
/// use inhouse_proto::control::encode;
/// use inhouse_proto::control::outgoing::{HookMatcher, Initialize};
///
/// let request = Initialize::new()
///     .hook("PreToolUse", HookMatcher::new(["hook_0"]).matcher("Bash|Write"))
///     .sdk_mcp_server("calc");
/// assert_eq!(
///     encode(&request)?,
///     concat!(
///         r#"{"subtype":"initialize","#,
///         r#""hooks":{"PreToolUse":[{"matcher":"Bash|Write","hookCallbackIds":["hook_0"]}]},"#,
///         r#""sdkMcpServers":["calc"]}"#,
///     ),
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Initialize {
    /// Hooks by event.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub hooks: BTreeMap<String, Vec<HookMatcher>>,
    /// Names of the MCP servers in the host's process.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sdk_mcp_servers: Vec<String>,
    /// Settings of those servers.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sdk_mcp_server_configs: BTreeMap<String, SdkMcpServerConfig>,
    /// What those servers would answer to the MCP handshake, to save the round trips.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sdk_mcp_server_manifests: BTreeMap<String, Box<RawValue>>,
    /// Where the manifests come from; for remote transports only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sdk_mcp_server_manifests_origin: Option<String>,
    /// The schema of the structured output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json_schema: Option<Value>,
    /// The system prompt in place of the CLI's own; one empty string stands for none at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<Vec<String>>,
    /// What is added to the CLI's own system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub append_system_prompt: Option<String>,
    /// Whether the system prompt is reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt_snapshot: Option<bool>,
    /// Instructions for plan mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_mode_instructions: Option<String>,
    /// Tools that stand in for others, by the name that the model uses.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tool_aliases: BTreeMap<String, String>,
    /// Whether sections that change from run to run are kept out of the system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude_dynamic_sections: Option<bool>,
    /// Agents by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<String, AgentDefinition>,
    /// The session's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The skills that the session has; all of them if there is no list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skills: Option<Vec<String>>,
    /// Whether the CLI suggests what to ask next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_suggestions: Option<bool>,
    /// Whether the CLI sums up what agents are doing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_progress_summaries: Option<bool>,
    /// Whether the text of subagents is forwarded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forward_subagent_text: Option<bool>,
    /// The kinds of dialogs that the host can show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supported_dialog_kinds: Option<Vec<String>>,
    /// Whether the host can stop single tasks, so that an interrupt spares the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_task_stop_affordance: Option<bool>,
    /// Plugins; the process must have been started with `--await-initialize`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugins: Option<Vec<Plugin>>,
    /// Members that this version does not name.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Initialize {
    /// A request without any member.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a matcher for an event, such as `PreToolUse`.
    #[must_use]
    pub fn hook(mut self, event: impl Into<String>, matcher: HookMatcher) -> Self {
        self.hooks.entry(event.into()).or_default().push(matcher);
        self
    }

    /// Adds an MCP server in the host's process.
    #[must_use]
    pub fn sdk_mcp_server(mut self, name: impl Into<String>) -> Self {
        self.sdk_mcp_servers.push(name.into());
        self
    }

    /// Adds settings for an MCP server in the host's process.
    #[must_use]
    pub fn sdk_mcp_server_config(
        mut self,
        name: impl Into<String>,
        config: SdkMcpServerConfig,
    ) -> Self {
        self.sdk_mcp_server_configs.insert(name.into(), config);
        self
    }

    /// Adds what an MCP server in the host's process would answer to the handshake:
    /// `{initializeResult, toolsListResult?}`.
    #[must_use]
    pub fn sdk_mcp_server_manifest(
        mut self,
        name: impl Into<String>,
        manifest: Box<RawValue>,
    ) -> Self {
        self.sdk_mcp_server_manifests.insert(name.into(), manifest);
        self
    }

    /// Says where the manifests come from.
    #[must_use]
    pub fn sdk_mcp_server_manifests_origin(mut self, origin: impl Into<String>) -> Self {
        self.sdk_mcp_server_manifests_origin = Some(origin.into());
        self
    }

    /// Asks for structured output.
    #[must_use]
    pub fn json_schema(mut self, schema: Value) -> Self {
        self.json_schema = Some(schema);
        self
    }

    /// Replaces the CLI's own system prompt.
    #[must_use]
    pub fn system_prompt<P: Into<String>>(mut self, parts: impl IntoIterator<Item = P>) -> Self {
        self.system_prompt = Some(parts.into_iter().map(Into::into).collect());
        self
    }

    /// Adds to the CLI's own system prompt.
    #[must_use]
    pub fn append_system_prompt(mut self, text: impl Into<String>) -> Self {
        self.append_system_prompt = Some(text.into());
        self
    }

    /// Asks for a report of the system prompt.
    #[must_use]
    pub fn system_prompt_snapshot(mut self, on: bool) -> Self {
        self.system_prompt_snapshot = Some(on);
        self
    }

    /// Gives instructions for plan mode.
    #[must_use]
    pub fn plan_mode_instructions(mut self, text: impl Into<String>) -> Self {
        self.plan_mode_instructions = Some(text.into());
        self
    }

    /// Lets one tool stand in for another.
    #[must_use]
    pub fn tool_alias(mut self, asked_for: impl Into<String>, run: impl Into<String>) -> Self {
        self.tool_aliases.insert(asked_for.into(), run.into());
        self
    }

    /// Keeps sections that change from run to run out of the system prompt.
    #[must_use]
    pub fn exclude_dynamic_sections(mut self, on: bool) -> Self {
        self.exclude_dynamic_sections = Some(on);
        self
    }

    /// Adds an agent.
    #[must_use]
    pub fn agent(mut self, name: impl Into<String>, agent: AgentDefinition) -> Self {
        self.agents.insert(name.into(), agent);
        self
    }

    /// Gives the session a title.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Limits the session to these skills.
    #[must_use]
    pub fn skills<S: Into<String>>(mut self, skills: impl IntoIterator<Item = S>) -> Self {
        self.skills = Some(skills.into_iter().map(Into::into).collect());
        self
    }

    /// Asks for suggestions of what to ask next.
    #[must_use]
    pub fn prompt_suggestions(mut self, on: bool) -> Self {
        self.prompt_suggestions = Some(on);
        self
    }

    /// Asks for summaries of what agents are doing.
    #[must_use]
    pub fn agent_progress_summaries(mut self, on: bool) -> Self {
        self.agent_progress_summaries = Some(on);
        self
    }

    /// Asks for the text of subagents.
    #[must_use]
    pub fn forward_subagent_text(mut self, on: bool) -> Self {
        self.forward_subagent_text = Some(on);
        self
    }

    /// Names the kinds of dialogs that the host can show; no other kind is ever sent.
    #[must_use]
    pub fn supported_dialog_kinds<K: Into<String>>(
        mut self,
        kinds: impl IntoIterator<Item = K>,
    ) -> Self {
        self.supported_dialog_kinds = Some(kinds.into_iter().map(Into::into).collect());
        self
    }

    /// Says that the host can stop single tasks.
    #[must_use]
    pub fn per_task_stop_affordance(mut self, on: bool) -> Self {
        self.per_task_stop_affordance = Some(on);
        self
    }

    /// Loads plugins.
    #[must_use]
    pub fn plugins(mut self, plugins: impl IntoIterator<Item = Plugin>) -> Self {
        self.plugins = Some(plugins.into_iter().collect());
        self
    }

    /// Adds a member that this version does not name, such as `workspaceTrust`.
    #[must_use]
    pub fn extra(mut self, name: impl Into<String>, value: Value) -> Self {
        self.extra.insert(name.into(), value);
        self
    }
}

impl ControlRequest for Initialize {
    const SUBTYPE: &'static str = "initialize";
    type Reply = InitializeReply;
}
