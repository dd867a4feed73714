use crate::control::ControlRequest;
use inhouse_macros::Open;
use serde::Serialize;

/// Asks what fills the context window.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetContextUsage {
    /// How exact the answer must be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<ContextDetail>,
}

impl GetContextUsage {
    /// Creates the request without its optional members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How exact the answer must be.
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

/// How [`GetContextUsage`] counts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContextDetail {
    /// By estimate, at once.
    Summary,
    /// With the model's own token counter, which takes a call to its API. The default.
    Full,
    /// A value that this version does not know.
    Unknown(String),
}

/// What fills the context window.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GetContextUsageReply {
    /// The parts of the window, free space included.
    pub categories: Vec<ContextCategory>,
    /// Tokens in use.
    pub total_tokens: u64,
    /// Tokens that can be used.
    pub max_tokens: u64,
    /// The size of the model's window.
    pub raw_max_tokens: Option<u64>,
    /// How full the window is, from 0 to 100.
    pub percentage: f64,
    /// A picture of the window, row by row.
    pub grid_rows: Option<Vec<Vec<ContextSquare>>>,
    /// The model whose window it is.
    pub model: Option<String>,
    /// Memory files such as CLAUDE.md.
    pub memory_files: Option<Vec<ContextMemoryFile>>,
    /// Tools of MCP servers.
    pub mcp_tools: Option<Vec<ContextMcpTool>>,
    /// Instructions of MCP servers.
    pub mcp_instructions: Option<Vec<ContextMcpInstructions>>,
    /// Built-in tools that are loaded when they are searched for.
    pub deferred_builtin_tools: Option<Vec<ContextItem>>,
    /// Built-in tools.
    pub system_tools: Option<Vec<ContextItem>>,
    /// Sections of the system prompt.
    pub system_prompt_sections: Option<Vec<ContextItem>>,
    /// Agents.
    pub agents: Option<Vec<ContextAgent>>,
    /// Slash commands.
    pub slash_commands: Option<ContextCommands>,
    /// Skills.
    pub skills: Option<ContextSkills>,
    /// How many tokens make the CLI compact the conversation.
    pub auto_compact_threshold: Option<u64>,
    /// Where that number comes from.
    pub autocompact_source: Option<String>,
    /// Whether it compacts at all.
    pub is_auto_compact_enabled: Option<bool>,
    /// What the messages are made of.
    pub message_breakdown: Option<ContextMessages>,
    /// What the API counted for the last call; `None` before the first.
    pub api_usage: Option<ContextApiUsage>,
}

/// A part of the context window.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextCategory {
    /// A stable name.
    pub id: Option<String>,
    /// The name for people.
    pub name: String,
    /// Its size.
    pub tokens: u64,
    /// The name of the color that it is shown in.
    pub color: Option<String>,
    /// Whether it is outside the window until it is needed.
    pub is_deferred: Option<bool>,
    /// What it does to the window.
    pub kind: Option<ContextKind>,
}

/// What a [`ContextCategory`] does to the window.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContextKind {
    /// It fills it.
    Used,
    /// It stays outside until it is needed.
    Deferred,
    /// It is kept free for compaction.
    Buffer,
    /// It is free.
    Free,
    /// A value that this version does not know.
    Unknown(String),
}

/// A square in the picture of the window.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextSquare {
    /// The name of its color.
    pub color: Option<String>,
    /// Whether it is filled.
    pub is_filled: Option<bool>,
    /// The category that it shows.
    pub category_name: Option<String>,
    /// The tokens of that category.
    pub tokens: Option<u64>,
    /// The share of that category, from 0 to 100.
    pub percentage: Option<f64>,
    /// How full the square is, from 0 to 1.
    pub square_fullness: Option<f64>,
}

/// A memory file in the window.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContextMemoryFile {
    /// The file.
    pub path: String,
    /// Whose it is, such as `Project`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its size.
    pub tokens: u64,
}

/// A tool of an MCP server.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextMcpTool {
    /// The tool.
    pub name: String,
    /// The server.
    pub server_name: String,
    /// Its size.
    pub tokens: u64,
    /// Whether it is in the window now.
    pub is_loaded: Option<bool>,
}

/// The instructions of an MCP server.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextMcpInstructions {
    /// The server.
    pub server_name: String,
    /// Their size.
    pub tokens: u64,
}

/// Something with a name and a size.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextItem {
    /// Its name.
    pub name: String,
    /// Its size.
    pub tokens: u64,
    /// Whether it is in the window now.
    pub is_loaded: Option<bool>,
}

/// An agent that the model can choose.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextAgent {
    /// Its name.
    pub agent_type: String,
    /// Where it comes from.
    pub source: String,
    /// The plugin that brought it.
    pub plugin_id: Option<String>,
    /// The file that defines it.
    pub path: Option<String>,
    /// Its size.
    pub tokens: u64,
}

/// The slash commands that the model knows of.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextCommands {
    /// How many there are.
    pub total_commands: u64,
    /// How many of them are in the window.
    pub included_commands: u64,
    /// Their size.
    pub tokens: u64,
}

/// The skills that the model knows of.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextSkills {
    /// How many there are.
    pub total_skills: u64,
    /// How many of them are in the window.
    pub included_skills: u64,
    /// Their size.
    pub tokens: u64,
    /// Each of them.
    pub skill_frontmatter: Option<Vec<ContextSkill>>,
}

/// A skill that the model knows of.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContextSkill {
    /// Its name.
    pub name: String,
    /// Where it comes from.
    pub source: String,
    /// Its size.
    pub tokens: u64,
}

/// What the messages in the window are made of.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextMessages {
    /// Tool calls.
    pub tool_call_tokens: Option<u64>,
    /// Their results.
    pub tool_result_tokens: Option<u64>,
    /// Attachments.
    pub attachment_tokens: Option<u64>,
    /// What the model wrote.
    pub assistant_message_tokens: Option<u64>,
    /// What people wrote.
    pub user_message_tokens: Option<u64>,
    /// What was moved elsewhere.
    pub redirected_context_tokens: Option<u64>,
    /// What belongs to none of these.
    pub unattributed_tokens: Option<u64>,
    /// Tool calls and results, by tool.
    pub tool_calls_by_type: Option<Vec<ContextToolCalls>>,
    /// Attachments, by kind.
    pub attachments_by_type: Option<Vec<ContextItem>>,
}

/// The calls to one tool.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextToolCalls {
    /// The tool.
    pub name: String,
    /// The calls.
    pub call_tokens: Option<u64>,
    /// The results.
    pub result_tokens: Option<u64>,
}

/// What the API counted for a call.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContextApiUsage {
    /// Tokens that were not cached.
    pub input_tokens: Option<u64>,
    /// Tokens that the model wrote.
    pub output_tokens: Option<u64>,
    /// Tokens written to the cache.
    pub cache_creation_input_tokens: Option<u64>,
    /// Tokens read from the cache.
    pub cache_read_input_tokens: Option<u64>,
}
