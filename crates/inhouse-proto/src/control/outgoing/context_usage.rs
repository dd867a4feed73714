use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;

use crate::message::ContextCategoryKind;

/// Request to report how much of the context window is in use, and by what.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetContextUsage {
    /// Precision of the token counts. `None` requests [`Full`](ContextDetail::Full), the default of the CLI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<ContextDetail>,
}

impl GetContextUsage {
    /// Creates a request without optional members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the precision of the token counts.
    #[must_use]
    pub fn detail(mut self, detail: ContextDetail) -> Self {
        self.detail = Some(detail);
        self
    }
}

impl ControlRequest for GetContextUsage {
    const SUBTYPE: &'static str = "get_context_usage";
    type Reply = GetContextUsageReply;
}

/// Precision of the token counts in the reply to [`GetContextUsage`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContextDetail {
    /// Token counts are estimated, and the CLI replies at once.
    Summary,
    /// Token counts come from the token counter of the model, which takes an API call. This is the default.
    Full,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// The reply to [`GetContextUsage`]: the contents of the context window, with token counts.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GetContextUsageReply {
    /// Parts of the context window, free space included.
    pub categories: Vec<ContextCategory>,
    /// Number of tokens in use.
    pub total_tokens: u64,
    /// Number of tokens that can be used.
    pub max_tokens: u64,
    /// Size of the model's context window in tokens.
    pub raw_max_tokens: Option<u64>,
    /// Share of the context window that is in use, from 0 to 100.
    pub percentage: f64,
    /// Rows of a grid that displays the context window, each with its squares.
    pub grid_rows: Option<Vec<Vec<ContextSquare>>>,
    /// The model that the context window belongs to.
    pub model: Option<String>,
    /// Memory files in the context window, such as CLAUDE.md.
    pub memory_files: Option<Vec<ContextMemoryFile>>,
    /// Tools of MCP servers, with their sizes.
    pub mcp_tools: Option<Vec<ContextMcpTool>>,
    /// Instructions of MCP servers, with their sizes.
    pub mcp_instructions: Option<Vec<ContextMcpInstructions>>,
    /// Built-in tools that are loaded only when tool search finds them.
    pub deferred_builtin_tools: Option<Vec<ContextItem>>,
    /// Built-in tools, with their sizes.
    pub system_tools: Option<Vec<ContextItem>>,
    /// Sections of the system prompt, with their sizes.
    pub system_prompt_sections: Option<Vec<ContextItem>>,
    /// Agents that the model can choose, with their sizes.
    pub agents: Option<Vec<ContextAgent>>,
    /// Slash commands that are listed for the model.
    pub slash_commands: Option<ContextCommands>,
    /// Skills that are listed for the model.
    pub skills: Option<ContextSkills>,
    /// Number of tokens at which the CLI compacts the conversation.
    pub auto_compact_threshold: Option<u64>,
    /// Source of the compaction threshold, such as `model-default`. The official SDKs do not declare this member.
    pub autocompact_source: Option<String>,
    /// Whether the CLI compacts the conversation automatically.
    pub is_auto_compact_enabled: Option<bool>,
    /// Sizes of the messages by kind.
    pub message_breakdown: Option<ContextMessages>,
    /// Token counts that the API reported for the last model request; `None` before the first.
    pub api_usage: Option<ContextApiUsage>,
}

/// One part of the context window, with its size.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextCategory {
    /// Stable identifier of the category, such as `skills`.
    pub id: Option<String>,
    /// Name of the category for display.
    pub name: String,
    /// Size of the category in tokens.
    pub tokens: u64,
    /// Name of the color that the category is displayed in.
    pub color: Option<String>,
    /// Whether the category stays outside of the context window until it is needed.
    pub is_deferred: Option<bool>,
    /// The use that the category makes of the context window.
    pub kind: Option<ContextCategoryKind>,
}

/// One square in the grid that displays the context window.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextSquare {
    /// Name of the square's color.
    pub color: Option<String>,
    /// Whether the square is filled.
    pub is_filled: Option<bool>,
    /// Name of the category that the square displays.
    pub category_name: Option<String>,
    /// Size of the displayed category in tokens.
    pub tokens: Option<u64>,
    /// Share of the displayed category, from 0 to 100.
    pub percentage: Option<f64>,
    /// Filled fraction of the square, from 0 to 1.
    pub square_fullness: Option<f64>,
}

/// A memory file in the context window, with its size.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContextMemoryFile {
    /// Path of the memory file.
    pub path: String,
    /// Level that the memory file belongs to, such as `Project`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Size of the file in tokens.
    pub tokens: u64,
}

/// A tool of an MCP server, with its size in the context window.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextMcpTool {
    /// Name of the tool.
    pub name: String,
    /// Name of the MCP server that provides the tool.
    pub server_name: String,
    /// Size of the tool's definition in tokens.
    pub tokens: u64,
    /// Whether the tool is in the context window now.
    pub is_loaded: Option<bool>,
}

/// The instructions of an MCP server, with their size in the context window.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextMcpInstructions {
    /// Name of the MCP server that provides the instructions.
    pub server_name: String,
    /// Size of the instructions in tokens.
    pub tokens: u64,
}

/// A named part of the context window, such as a tool, a prompt section or a kind of attachment, with its size.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextItem {
    /// Name of the item.
    pub name: String,
    /// Size of the item in tokens.
    pub tokens: u64,
    /// Whether the item is in the context window now.
    pub is_loaded: Option<bool>,
}

/// An agent that the model can choose, with its size in the context window.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextAgent {
    /// Name of the agent.
    pub agent_type: String,
    /// Source that the agent comes from, such as `plugin`.
    pub source: String,
    /// Id of the plugin that provides the agent; `None` for other sources.
    pub plugin_id: Option<String>,
    /// Path of the file that defines the agent.
    pub path: Option<String>,
    /// Size of the agent's description in tokens.
    pub tokens: u64,
}

/// The slash commands that are listed for the model, with their total size.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextCommands {
    /// Number of slash commands in all.
    pub total_commands: u64,
    /// Number of slash commands that are in the context window.
    pub included_commands: u64,
    /// Size of the slash commands in tokens.
    pub tokens: u64,
}

/// The skills that are listed for the model, with their total size.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextSkills {
    /// Number of skills in all.
    pub total_skills: u64,
    /// Number of skills that are in the context window.
    pub included_skills: u64,
    /// Size of the skills in tokens.
    pub tokens: u64,
    /// Each skill with its source and size.
    pub skill_frontmatter: Option<Vec<ContextSkill>>,
}

/// A skill that is listed for the model, with its size in the context window.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextSkill {
    /// Name of the skill.
    pub name: String,
    /// Source that the skill comes from, such as `built-in`.
    pub source: String,
    /// Name of the plugin that provides the skill.
    pub plugin_name: Option<String>,
    /// Id of the plugin that provides the skill.
    pub plugin_id: Option<String>,
    /// Path of the file that contains the skill.
    pub path: Option<String>,
    /// Size of the skill's description in tokens.
    pub tokens: u64,
}

/// Sizes of the messages in the context window, by kind.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextMessages {
    /// Size of the tool calls in tokens.
    pub tool_call_tokens: Option<u64>,
    /// Size of the tool results in tokens.
    pub tool_result_tokens: Option<u64>,
    /// Size of the attachments in tokens.
    pub attachment_tokens: Option<u64>,
    /// Size of the text written by the model, in tokens.
    pub assistant_message_tokens: Option<u64>,
    /// Size of the text written by users, in tokens.
    pub user_message_tokens: Option<u64>,
    /// Size of the context that was redirected elsewhere, in tokens.
    pub redirected_context_tokens: Option<u64>,
    /// Size of everything that belongs to no other kind, in tokens.
    pub unattributed_tokens: Option<u64>,
    /// Sizes of tool calls and their results, by tool.
    pub tool_calls_by_type: Option<Vec<ContextToolCalls>>,
    /// Sizes of the attachments, by kind.
    pub attachments_by_type: Option<Vec<ContextItem>>,
}

/// Size of the calls to one tool and of their results.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextToolCalls {
    /// Name of the tool.
    pub name: String,
    /// Size of the calls in tokens.
    pub call_tokens: Option<u64>,
    /// Size of the results in tokens.
    pub result_tokens: Option<u64>,
}

/// Token counts that the API reported for one model request.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContextApiUsage {
    /// Number of input tokens that were not cached.
    pub input_tokens: Option<u64>,
    /// Number of tokens that the model generated.
    pub output_tokens: Option<u64>,
    /// Number of input tokens written to the cache.
    pub cache_creation_input_tokens: Option<u64>,
    /// Number of input tokens read from the cache.
    pub cache_read_input_tokens: Option<u64>,
}
