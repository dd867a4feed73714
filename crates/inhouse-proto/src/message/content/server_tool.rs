use inhouse_macros::Open;
use serde::Serialize;
use serde_json::Value;

use super::{CacheControl, Caller};

/// A call of a tool that runs at the API. The result follows in the same message.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct ServerToolUseBlock {
    /// The id of the tool call.
    pub id: String,
    /// Name of the tool that is called.
    pub name: ServerToolName,
    /// The arguments of the call.
    pub input: Value,
    /// The caller, if the model did not make the call directly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<Box<Caller>>,
}

/// A tool that runs at the API.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ServerToolName {
    /// Asks a second model for advice.
    Advisor,
    /// Searches the web for pages.
    WebSearch,
    /// Fetches a web page.
    WebFetch,
    /// Runs code in a container.
    CodeExecution,
    /// Runs a shell command in a container.
    BashCodeExecution,
    /// Edits a file in a container.
    TextEditorCodeExecution,
    /// Searches for tools by regular expression.
    ToolSearchToolRegex,
    /// Searches for tools by words, ranked with BM25.
    ToolSearchToolBm25,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// The result of code that ran at the API.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct CodeExecutionToolResultBlock {
    /// The id of the tool call.
    pub tool_use_id: String,
    /// The result, in the API's format.
    pub content: Value,
    /// Marks the end of a part of the prompt that the API may cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
}

/// The result of a shell command that ran at the API.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct BashCodeExecutionToolResultBlock {
    /// The id of the tool call.
    pub tool_use_id: String,
    /// The result, in the API's format.
    pub content: Value,
    /// Marks the end of a part of the prompt that the API may cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
}

/// The result of a file edit that ran at the API.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct TextEditorCodeExecutionToolResultBlock {
    /// The id of the tool call.
    pub tool_use_id: String,
    /// The result, in the API's format.
    pub content: Value,
    /// Marks the end of a part of the prompt that the API may cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
}

/// The tools that the API's tool search found.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct ToolSearchToolResultBlock {
    /// The id of the tool call.
    pub tool_use_id: String,
    /// The result, in the API's format.
    pub content: Value,
    /// Marks the end of a part of the prompt that the API may cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
}

/// A file that is copied into the API's code container.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct ContainerUploadBlock {
    /// The id of the file.
    pub file_id: String,
    /// Marks the end of a part of the prompt that the API may cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
}
