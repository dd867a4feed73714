use inhouse_macros::Open;

/// What fills the context window: the answer to `/context` as data.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContextUsage {
    /// The model whose window it is.
    pub model: Option<String>,
    /// Tokens in use.
    pub total_tokens: Option<u64>,
    /// The size of the window.
    pub raw_max_tokens: Option<u64>,
    /// How full the window is, in percent.
    pub percentage: Option<f64>,
    /// By how much a limit is exceeded.
    pub over_limit: Option<ContextOverLimit>,
    /// Tokens by category.
    pub categories: Option<Vec<ContextCategory>>,
    /// Tokens by MCP tool.
    pub mcp_tools: Option<Vec<ContextMcpTool>>,
    /// Tokens by memory file.
    pub memory_files: Option<Vec<ContextMemoryFile>>,
    /// Tokens by agent definition.
    pub agents: Option<Vec<ContextAgent>>,
    /// Tokens by skill.
    pub skills: Option<Vec<ContextSkill>>,
}

/// By how much the context exceeds a limit.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContextOverLimit {
    /// Tokens beyond the limit.
    pub tokens_over: Option<u64>,
    /// Which limit.
    pub kind: Option<ContextLimitKind>,
}

/// The limits on a context.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContextLimitKind {
    /// The window of the model.
    HardLimit,
    /// The point at which the CLI compacts.
    CompactionWindow,
    /// A value that this version does not know.
    Unknown(String),
}

/// A part of the context.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContextCategory {
    /// What it is, for display.
    pub name: String,
    /// Its tokens.
    pub tokens: Option<u64>,
    /// How it counts.
    pub kind: Option<ContextCategoryKind>,
}

/// How a part of the context counts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContextCategoryKind {
    /// It is in the window.
    Used,
    /// It is free.
    Free,
    /// It is held back for compaction.
    Buffer,
    /// It is loaded only when needed.
    Deferred,
    /// A value that this version does not know.
    Unknown(String),
}

/// What the definition of an MCP tool costs.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContextMcpTool {
    /// The tool.
    pub name: String,
    /// The server that has it.
    pub server_name: Option<String>,
    /// Its tokens.
    pub tokens: Option<u64>,
}

/// What a memory file costs.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContextMemoryFile {
    /// The file.
    pub path: String,
    /// The kind of memory, such as user or project.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Its tokens.
    pub tokens: Option<u64>,
}

/// What the definition of an agent costs.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContextAgent {
    /// The kind of agent.
    pub agent_type: String,
    /// Where it is defined.
    pub source: Option<String>,
    /// Its tokens.
    pub tokens: Option<u64>,
}

/// What a skill costs.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContextSkill {
    /// The skill.
    pub name: String,
    /// Where it is defined.
    pub source: Option<String>,
    /// The plugin that brings it.
    pub plugin_name: Option<String>,
    /// Its tokens.
    pub tokens: Option<u64>,
}
