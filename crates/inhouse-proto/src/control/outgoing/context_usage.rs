use super::declare::control_request;
use crate::open::{open_enum, open_struct};

control_request! {
    /// Asks what fills the context window.
    pub struct GetContextUsage("get_context_usage") -> GetContextUsageReply
    accepts {
        /// How exact the answer must be.
        detail: ContextDetail,
    }
}

open_enum! {
    /// How [`GetContextUsage`] counts.
    pub enum ContextDetail {
        /// By estimate, at once.
        Summary = "summary",
        /// With the model's own token counter, which takes a call to its API. The default.
        Full = "full",
    }
}

open_struct! {
    /// What fills the context window.
    pub struct GetContextUsageReply {
        /// The parts of the window, free space included.
        pub categories: Vec<ContextCategory>,
        /// Tokens in use.
        pub total_tokens as "totalTokens": u64,
        /// Tokens that can be used.
        pub max_tokens as "maxTokens": u64,
        /// The size of the model's window.
        pub raw_max_tokens as "rawMaxTokens": Option<u64>,
        /// How full the window is, from 0 to 100.
        pub percentage: f64,
        /// A picture of the window, row by row.
        pub grid_rows as "gridRows": Option<Vec<Vec<ContextSquare>>>,
        /// The model whose window it is.
        pub model: Option<String>,
        /// Memory files such as CLAUDE.md.
        pub memory_files as "memoryFiles": Option<Vec<ContextMemoryFile>>,
        /// Tools of MCP servers.
        pub mcp_tools as "mcpTools": Option<Vec<ContextMcpTool>>,
        /// Instructions of MCP servers.
        pub mcp_instructions as "mcpInstructions": Option<Vec<ContextMcpInstructions>>,
        /// Built-in tools that are loaded when they are searched for.
        pub deferred_builtin_tools as "deferredBuiltinTools": Option<Vec<ContextItem>>,
        /// Built-in tools.
        pub system_tools as "systemTools": Option<Vec<ContextItem>>,
        /// Sections of the system prompt.
        pub system_prompt_sections as "systemPromptSections": Option<Vec<ContextItem>>,
        /// Agents.
        pub agents: Option<Vec<ContextAgent>>,
        /// Slash commands.
        pub slash_commands as "slashCommands": Option<ContextCommands>,
        /// Skills.
        pub skills: Option<ContextSkills>,
        /// How many tokens make the CLI compact the conversation.
        pub auto_compact_threshold as "autoCompactThreshold": Option<u64>,
        /// Where that number comes from.
        pub autocompact_source as "autocompactSource": Option<String>,
        /// Whether it compacts at all.
        pub is_auto_compact_enabled as "isAutoCompactEnabled": Option<bool>,
        /// What the messages are made of.
        pub message_breakdown as "messageBreakdown": Option<ContextMessages>,
        /// What the API counted for the last call; `None` before the first.
        pub api_usage as "apiUsage": Option<ContextApiUsage>,
    }
}

open_struct! {
    /// A part of the context window.
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
        pub is_deferred as "isDeferred": Option<bool>,
        /// What it does to the window.
        pub kind: Option<ContextKind>,
    }
}

open_enum! {
    /// What a [`ContextCategory`] does to the window.
    pub enum ContextKind {
        /// It fills it.
        Used = "used",
        /// It stays outside until it is needed.
        Deferred = "deferred",
        /// It is kept free for compaction.
        Buffer = "buffer",
        /// It is free.
        Free = "free",
    }
}

open_struct! {
    /// A square in the picture of the window.
    pub struct ContextSquare {
        /// The name of its color.
        pub color: Option<String>,
        /// Whether it is filled.
        pub is_filled as "isFilled": Option<bool>,
        /// The category that it shows.
        pub category_name as "categoryName": Option<String>,
        /// The tokens of that category.
        pub tokens: Option<u64>,
        /// The share of that category, from 0 to 100.
        pub percentage: Option<f64>,
        /// How full the square is, from 0 to 1.
        pub square_fullness as "squareFullness": Option<f64>,
    }
}

open_struct! {
    /// A memory file in the window.
    pub struct ContextMemoryFile {
        /// The file.
        pub path: String,
        /// Whose it is, such as `Project`.
        pub kind as "type": String,
        /// Its size.
        pub tokens: u64,
    }
}

open_struct! {
    /// A tool of an MCP server.
    pub struct ContextMcpTool {
        /// The tool.
        pub name: String,
        /// The server.
        pub server_name as "serverName": String,
        /// Its size.
        pub tokens: u64,
        /// Whether it is in the window now.
        pub is_loaded as "isLoaded": Option<bool>,
    }
}

open_struct! {
    /// The instructions of an MCP server.
    pub struct ContextMcpInstructions {
        /// The server.
        pub server_name as "serverName": String,
        /// Their size.
        pub tokens: u64,
    }
}

open_struct! {
    /// Something with a name and a size.
    pub struct ContextItem {
        /// Its name.
        pub name: String,
        /// Its size.
        pub tokens: u64,
        /// Whether it is in the window now.
        pub is_loaded as "isLoaded": Option<bool>,
    }
}

open_struct! {
    /// An agent that the model can choose.
    pub struct ContextAgent {
        /// Its name.
        pub agent_type as "agentType": String,
        /// Where it comes from.
        pub source: String,
        /// The plugin that brought it.
        pub plugin_id as "pluginId": Option<String>,
        /// The file that defines it.
        pub path: Option<String>,
        /// Its size.
        pub tokens: u64,
    }
}

open_struct! {
    /// The slash commands that the model knows of.
    pub struct ContextCommands {
        /// How many there are.
        pub total_commands as "totalCommands": u64,
        /// How many of them are in the window.
        pub included_commands as "includedCommands": u64,
        /// Their size.
        pub tokens: u64,
    }
}

open_struct! {
    /// The skills that the model knows of.
    pub struct ContextSkills {
        /// How many there are.
        pub total_skills as "totalSkills": u64,
        /// How many of them are in the window.
        pub included_skills as "includedSkills": u64,
        /// Their size.
        pub tokens: u64,
        /// Each of them.
        pub skill_frontmatter as "skillFrontmatter": Option<Vec<ContextSkill>>,
    }
}

open_struct! {
    /// A skill that the model knows of.
    pub struct ContextSkill {
        /// Its name.
        pub name: String,
        /// Where it comes from.
        pub source: String,
        /// Its size.
        pub tokens: u64,
    }
}

open_struct! {
    /// What the messages in the window are made of.
    pub struct ContextMessages {
        /// Tool calls.
        pub tool_call_tokens as "toolCallTokens": Option<u64>,
        /// Their results.
        pub tool_result_tokens as "toolResultTokens": Option<u64>,
        /// Attachments.
        pub attachment_tokens as "attachmentTokens": Option<u64>,
        /// What the model wrote.
        pub assistant_message_tokens as "assistantMessageTokens": Option<u64>,
        /// What people wrote.
        pub user_message_tokens as "userMessageTokens": Option<u64>,
        /// What was moved elsewhere.
        pub redirected_context_tokens as "redirectedContextTokens": Option<u64>,
        /// What belongs to none of these.
        pub unattributed_tokens as "unattributedTokens": Option<u64>,
        /// Tool calls and results, by tool.
        pub tool_calls_by_type as "toolCallsByType": Option<Vec<ContextToolCalls>>,
        /// Attachments, by kind.
        pub attachments_by_type as "attachmentsByType": Option<Vec<ContextItem>>,
    }
}

open_struct! {
    /// The calls to one tool.
    pub struct ContextToolCalls {
        /// The tool.
        pub name: String,
        /// The calls.
        pub call_tokens as "callTokens": Option<u64>,
        /// The results.
        pub result_tokens as "resultTokens": Option<u64>,
    }
}

open_struct! {
    /// What the API counted for a call.
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
}
