use serde_json::Value;

use super::{CacheControl, Caller};
use crate::open::{open_enum, open_struct};

open_struct! {
    /// A call of a tool that runs at the API; its result follows in the same message.
    pub struct ServerToolUseBlock ["type" = "server_tool_use"] {
        /// The id of the call.
        pub id: String,
        /// The tool.
        pub name: ServerToolName,
        /// The arguments.
        pub input: Value,
        /// Who made the call, when it was not the model itself.
        pub caller: Option<Box<Caller>>,
    }
}

open_enum! {
    /// The tools that run at the API.
    pub enum ServerToolName {
        /// Advice of a second model.
        Advisor = "advisor",
        /// A search of the web.
        WebSearch = "web_search",
        /// A page of the web.
        WebFetch = "web_fetch",
        /// Code in a container.
        CodeExecution = "code_execution",
        /// A shell command in a container.
        BashCodeExecution = "bash_code_execution",
        /// An edit of a file in a container.
        TextEditorCodeExecution = "text_editor_code_execution",
        /// A search for tools by pattern.
        ToolSearchToolRegex = "tool_search_tool_regex",
        /// A search for tools by words.
        ToolSearchToolBm25 = "tool_search_tool_bm25",
    }
}

open_struct! {
    /// What code that ran at the API returned.
    pub struct CodeExecutionToolResultBlock ["type" = "code_execution_tool_result"] {
        /// The id of the call.
        pub tool_use_id: String,
        /// The result, as the API gives it.
        pub content: Value,
        /// Where the prompt cache may end.
        pub cache_control: Option<Box<CacheControl>>,
    }
}

open_struct! {
    /// What a shell command that ran at the API returned.
    pub struct BashCodeExecutionToolResultBlock ["type" = "bash_code_execution_tool_result"] {
        /// The id of the call.
        pub tool_use_id: String,
        /// The result, as the API gives it.
        pub content: Value,
        /// Where the prompt cache may end.
        pub cache_control: Option<Box<CacheControl>>,
    }
}

open_struct! {
    /// What a file edit that ran at the API returned.
    pub struct TextEditorCodeExecutionToolResultBlock
        ["type" = "text_editor_code_execution_tool_result"]
    {
        /// The id of the call.
        pub tool_use_id: String,
        /// The result, as the API gives it.
        pub content: Value,
        /// Where the prompt cache may end.
        pub cache_control: Option<Box<CacheControl>>,
    }
}

open_struct! {
    /// Which tools the API's search for tools found.
    pub struct ToolSearchToolResultBlock ["type" = "tool_search_tool_result"] {
        /// The id of the call.
        pub tool_use_id: String,
        /// The result, as the API gives it.
        pub content: Value,
        /// Where the prompt cache may end.
        pub cache_control: Option<Box<CacheControl>>,
    }
}

open_struct! {
    /// A file that is put into the API's code container.
    pub struct ContainerUploadBlock ["type" = "container_upload"] {
        /// The id of the file.
        pub file_id: String,
        /// Where the prompt cache may end.
        pub cache_control: Option<Box<CacheControl>>,
    }
}
