use crate::open::{open_enum, open_struct};

open_struct! {
    /// What fills the context window: the answer to `/context` as data.
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
}

open_struct! {
    /// By how much the context exceeds a limit.
    pub struct ContextOverLimit {
        /// Tokens beyond the limit.
        pub tokens_over: Option<u64>,
        /// Which limit.
        pub kind: Option<ContextLimitKind>,
    }
}

open_enum! {
    /// The limits on a context.
    pub enum ContextLimitKind {
        /// The window of the model.
        HardLimit = "hard_limit",
        /// The point at which the CLI compacts.
        CompactionWindow = "compaction_window",
    }
}

open_struct! {
    /// A part of the context.
    pub struct ContextCategory {
        /// What it is, for display.
        pub name: String,
        /// Its tokens.
        pub tokens: Option<u64>,
        /// How it counts.
        pub kind: Option<ContextCategoryKind>,
    }
}

open_enum! {
    /// How a part of the context counts.
    pub enum ContextCategoryKind {
        /// It is in the window.
        Used = "used",
        /// It is free.
        Free = "free",
        /// It is held back for compaction.
        Buffer = "buffer",
        /// It is loaded only when needed.
        Deferred = "deferred",
    }
}

open_struct! {
    /// What the definition of an MCP tool costs.
    pub struct ContextMcpTool {
        /// The tool.
        pub name: String,
        /// The server that has it.
        pub server_name: Option<String>,
        /// Its tokens.
        pub tokens: Option<u64>,
    }
}

open_struct! {
    /// What a memory file costs.
    pub struct ContextMemoryFile {
        /// The file.
        pub path: String,
        /// The kind of memory, such as user or project.
        pub kind as "type": Option<String>,
        /// Its tokens.
        pub tokens: Option<u64>,
    }
}

open_struct! {
    /// What the definition of an agent costs.
    pub struct ContextAgent {
        /// The kind of agent.
        pub agent_type: String,
        /// Where it is defined.
        pub source: Option<String>,
        /// Its tokens.
        pub tokens: Option<u64>,
    }
}

open_struct! {
    /// What a skill costs.
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
}
