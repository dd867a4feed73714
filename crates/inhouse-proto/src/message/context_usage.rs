use inhouse_macros::Open;

/// Contents of the context window: the answer to `/context` as structured data.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContextUsage {
    /// The model whose context window is described.
    pub model: Option<String>,
    /// Number of tokens in use.
    pub total_tokens: Option<u64>,
    /// Size of the context window in tokens.
    pub raw_max_tokens: Option<u64>,
    /// Used part of the context window, in percent.
    pub percentage: Option<f64>,
    /// Details of an exceeded limit; `None` if no limit is exceeded.
    pub over_limit: Option<ContextOverLimit>,
    /// Token counts by category.
    pub categories: Option<Vec<ContextUsageCategory>>,
    /// Token counts by MCP tool.
    pub mcp_tools: Option<Vec<ContextUsageMcpTool>>,
    /// Token counts by memory file.
    pub memory_files: Option<Vec<ContextUsageMemoryFile>>,
    /// Token counts by agent definition.
    pub agents: Option<Vec<ContextUsageAgent>>,
    /// Token counts by skill.
    pub skills: Option<Vec<ContextUsageSkill>>,
}

/// Details of a limit that the context exceeds.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContextOverLimit {
    /// Number of tokens beyond the limit.
    pub tokens_over: Option<u64>,
    /// The limit that is exceeded.
    pub kind: Option<ContextLimitKind>,
}

/// A limit on the size of the context.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContextLimitKind {
    /// The context window of the model.
    HardLimit,
    /// The size at which the CLI compacts the conversation.
    CompactionWindow,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// A category of context contents.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContextUsageCategory {
    /// Name of the category, for display.
    pub name: String,
    /// Number of tokens in the category.
    pub tokens: Option<u64>,
    /// The way in which the category counts toward the context window.
    pub kind: Option<ContextCategoryKind>,
}

/// The way in which a category counts toward the context window.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContextCategoryKind {
    /// The tokens are in the context window.
    Used,
    /// The tokens are still available.
    Free,
    /// The tokens are reserved for compaction.
    Buffer,
    /// The content is loaded only when it is needed.
    Deferred,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Token count of an MCP tool's definition.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContextUsageMcpTool {
    /// Name of the MCP tool.
    pub name: String,
    /// The MCP server that provides the tool.
    pub server_name: Option<String>,
    /// Number of tokens of the definition.
    pub tokens: Option<u64>,
}

/// Token count of a memory file.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContextUsageMemoryFile {
    /// Path of the memory file.
    pub path: String,
    /// The kind of memory, such as user or project.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Number of tokens of the file.
    pub tokens: Option<u64>,
}

/// Token count of an agent definition.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContextUsageAgent {
    /// The type name of the agent.
    pub agent_type: String,
    /// The place where the agent is defined.
    pub source: Option<String>,
    /// Number of tokens of the definition.
    pub tokens: Option<u64>,
}

/// Token count of a skill.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContextUsageSkill {
    /// Name of the skill.
    pub name: String,
    /// The place where the skill is defined.
    pub source: Option<String>,
    /// The plugin that provides the skill; `None` if no plugin does.
    pub plugin_name: Option<String>,
    /// Number of tokens of the skill.
    pub tokens: Option<u64>,
}
