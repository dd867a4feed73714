use crate::control::ControlRequest;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{AgentDefinition, HookMatcher, InitializeReply, PluginConfig, SdkMcpServerConfig};

/// Request that starts a conversation: features that the host offers, and settings of the session.
///
/// Every member is optional. The request may be repeated later: the hooks are then replaced.
///
/// ```
/// # use inhouse_proto as inhouse;
/// use inhouse::control::outgoing::{HookMatcher, Initialize};
/// use serde_json::json;
///
/// let request = Initialize::new()
///     .hook("PreToolUse", HookMatcher::new(["hook_0"]).matcher("Bash|Write"))
///     .sdk_mcp_server("calc");
/// assert_eq!(
///     serde_json::to_value(&request)?,
///     json!({
///         "hooks": {"PreToolUse": [{"matcher": "Bash|Write", "hookCallbackIds": ["hook_0"]}]},
///         "sdkMcpServers": ["calc"],
///     }),
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Initialize {
    /// Hook matchers by event name, such as `PreToolUse`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub hooks: BTreeMap<String, Vec<HookMatcher>>,
    /// Names of the MCP servers in the host's process.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sdk_mcp_servers: Vec<String>,
    /// Settings of the MCP servers in the host's process, by server name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sdk_mcp_server_configs: BTreeMap<String, SdkMcpServerConfig>,
    /// Results of the MCP handshake by server name, so that the CLI can skip its round trips.
    ///
    /// Each manifest has the form `{initializeResult, toolsListResult?}`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sdk_mcp_server_manifests: BTreeMap<String, Box<RawValue>>,
    /// Origin of the manifests, such as `host_per_send`; for remote transports only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sdk_mcp_server_manifests_origin: Option<String>,
    /// JSON schema of the structured output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json_schema: Option<Value>,
    /// Parts of a system prompt that replaces the CLI's own. One empty string means no system prompt at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<Vec<String>>,
    /// Text that is appended to the CLI's own system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub append_system_prompt: Option<String>,
    /// Whether the CLI records the system prompt with the conversation; the default of the CLI is `true`.
    ///
    /// A resumed session uses the recorded prompt, and ignores another one until the conversation is compacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt_snapshot: Option<bool>,
    /// Instructions that replace the workflow part of the CLI's plan mode instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_mode_instructions: Option<String>,
    /// Names of the tools that run in place of others, by the name that the model uses. The CLI follows one alias only.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tool_aliases: BTreeMap<String, String>,
    /// Whether sections that change from run to run are left out of the system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude_dynamic_sections: Option<bool>,
    /// Definitions of agents by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<String, AgentDefinition>,
    /// Title of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Names of the skills that the session has. `None` enables all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skills: Option<Vec<String>>,
    /// Whether the CLI suggests a next prompt after a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_suggestions: Option<bool>,
    /// Whether the CLI periodically summarizes the progress of agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_progress_summaries: Option<bool>,
    /// Whether text and thinking of subagents are forwarded. By default only their tool blocks are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forward_subagent_text: Option<bool>,
    /// Kinds of dialogs that the host can show. The CLI sends no other kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supported_dialog_kinds: Option<Vec<String>>,
    /// Whether the host can stop single tasks. An interrupt then leaves background tasks running; otherwise it stops
    /// them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_task_stop_affordance: Option<bool>,
    /// Plugins to load. The process must have been started with `--await-initialize`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugins: Option<Vec<PluginConfig>>,
    /// Members that this version does not define, by their names on the wire.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Initialize {
    /// Creates a request without any member.
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

    /// Adds the results of the MCP handshake of a server in the host's process: `{initializeResult, toolsListResult?}`.
    #[must_use]
    pub fn sdk_mcp_server_manifest(
        mut self,
        name: impl Into<String>,
        manifest: Box<RawValue>,
    ) -> Self {
        self.sdk_mcp_server_manifests.insert(name.into(), manifest);
        self
    }

    /// Sets the origin of the manifests; for remote transports only.
    #[must_use]
    pub fn sdk_mcp_server_manifests_origin(mut self, origin: impl Into<String>) -> Self {
        self.sdk_mcp_server_manifests_origin = Some(origin.into());
        self
    }

    /// Requests structured output that conforms to a JSON schema.
    #[must_use]
    pub fn json_schema(mut self, schema: Value) -> Self {
        self.json_schema = Some(schema);
        self
    }

    /// Replaces the CLI's own system prompt. One empty string means no system prompt at all.
    #[must_use]
    pub fn system_prompt<P: Into<String>>(mut self, parts: impl IntoIterator<Item = P>) -> Self {
        self.system_prompt = Some(parts.into_iter().map(Into::into).collect());
        self
    }

    /// Appends a text to the CLI's own system prompt.
    #[must_use]
    pub fn append_system_prompt(mut self, text: impl Into<String>) -> Self {
        self.append_system_prompt = Some(text.into());
        self
    }

    /// Sets whether the CLI records the system prompt with the conversation.
    ///
    /// A resumed session uses the recorded prompt, and ignores another one until the conversation is compacted.
    #[must_use]
    pub fn system_prompt_snapshot(mut self, on: bool) -> Self {
        self.system_prompt_snapshot = Some(on);
        self
    }

    /// Sets instructions that replace the workflow part of the CLI's plan mode instructions.
    #[must_use]
    pub fn plan_mode_instructions(mut self, text: impl Into<String>) -> Self {
        self.plan_mode_instructions = Some(text.into());
        self
    }

    /// Runs one tool in place of another: `run` when the model uses the name `asked_for`.
    #[must_use]
    pub fn tool_alias(mut self, asked_for: impl Into<String>, run: impl Into<String>) -> Self {
        self.tool_aliases.insert(asked_for.into(), run.into());
        self
    }

    /// Sets whether sections that change from run to run are left out of the system prompt.
    #[must_use]
    pub fn exclude_dynamic_sections(mut self, on: bool) -> Self {
        self.exclude_dynamic_sections = Some(on);
        self
    }

    /// Adds an agent under a name.
    #[must_use]
    pub fn agent(mut self, name: impl Into<String>, agent: AgentDefinition) -> Self {
        self.agents.insert(name.into(), agent);
        self
    }

    /// Sets the title of the session.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Limits the session to the named skills.
    #[must_use]
    pub fn skills<S: Into<String>>(mut self, skills: impl IntoIterator<Item = S>) -> Self {
        self.skills = Some(skills.into_iter().map(Into::into).collect());
        self
    }

    /// Sets whether the CLI suggests a next prompt after a turn.
    #[must_use]
    pub fn prompt_suggestions(mut self, on: bool) -> Self {
        self.prompt_suggestions = Some(on);
        self
    }

    /// Sets whether the CLI periodically summarizes the progress of agents.
    #[must_use]
    pub fn agent_progress_summaries(mut self, on: bool) -> Self {
        self.agent_progress_summaries = Some(on);
        self
    }

    /// Sets whether text and thinking of subagents are forwarded.
    #[must_use]
    pub fn forward_subagent_text(mut self, on: bool) -> Self {
        self.forward_subagent_text = Some(on);
        self
    }

    /// Sets the kinds of dialogs that the host can show. The CLI sends no other kind.
    #[must_use]
    pub fn supported_dialog_kinds<K: Into<String>>(
        mut self,
        kinds: impl IntoIterator<Item = K>,
    ) -> Self {
        self.supported_dialog_kinds = Some(kinds.into_iter().map(Into::into).collect());
        self
    }

    /// Sets whether the host can stop single tasks, so that an interrupt leaves background tasks running.
    #[must_use]
    pub fn per_task_stop_affordance(mut self, on: bool) -> Self {
        self.per_task_stop_affordance = Some(on);
        self
    }

    /// Sets the plugins to load. The process must have been started with `--await-initialize`.
    #[must_use]
    pub fn plugins(mut self, plugins: impl IntoIterator<Item = PluginConfig>) -> Self {
        self.plugins = Some(plugins.into_iter().collect());
        self
    }

    /// Adds a member that this version does not define, such as `workspaceTrust`.
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
