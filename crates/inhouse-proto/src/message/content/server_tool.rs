use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

use super::{CacheControl, Caller};

/// A call of a tool that runs at the API; its result follows in the same message.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct ServerToolUseBlock {
    /// The id of the call.
    pub id: String,
    /// The tool.
    pub name: ServerToolName,
    /// The arguments.
    pub input: Value,
    /// Who made the call, when it was not the model itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<Box<Caller>>,
}

/// The tools that run at the API.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ServerToolName {
    /// Advice of a second model.
    Advisor,
    /// A search of the web.
    WebSearch,
    /// A page of the web.
    WebFetch,
    /// Code in a container.
    CodeExecution,
    /// A shell command in a container.
    BashCodeExecution,
    /// An edit of a file in a container.
    TextEditorCodeExecution,
    /// A search for tools by pattern.
    ToolSearchToolRegex,
    /// A search for tools by words.
    ToolSearchToolBm25,
    /// A value that this version does not know.
    Unknown(String),
}

/// What code that ran at the API returned.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct CodeExecutionToolResultBlock {
    /// The id of the call.
    pub tool_use_id: String,
    /// The result, as the API gives it.
    pub content: Value,
    /// Where the prompt cache may end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
}

/// What a shell command that ran at the API returned.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct BashCodeExecutionToolResultBlock {
    /// The id of the call.
    pub tool_use_id: String,
    /// The result, as the API gives it.
    pub content: Value,
    /// Where the prompt cache may end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
}

/// What a file edit that ran at the API returned.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct TextEditorCodeExecutionToolResultBlock {
    /// The id of the call.
    pub tool_use_id: String,
    /// The result, as the API gives it.
    pub content: Value,
    /// Where the prompt cache may end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
}

/// Which tools the API's search for tools found.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct ToolSearchToolResultBlock {
    /// The id of the call.
    pub tool_use_id: String,
    /// The result, as the API gives it.
    pub content: Value,
    /// Where the prompt cache may end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
}

/// A file that is put into the API's code container.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct ContainerUploadBlock {
    /// The id of the file.
    pub file_id: String,
    /// Where the prompt cache may end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
}
