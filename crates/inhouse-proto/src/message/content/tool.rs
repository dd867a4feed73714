use inhouse_macros::Open;
use serde::Serialize;
use std::borrow::Cow;

use serde_json::Value;

use super::{CacheControl, MessageContent};

/// A call of a tool that the CLI or the host runs.
///
/// The result follows in a later user message, in a [`ToolResultBlock`] with the same id.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct ToolUseBlock {
    /// The id of the tool call.
    pub id: String,
    /// Name of the tool; `mcp__<server>__<tool>` for tools of MCP servers.
    pub name: String,
    /// The arguments of the call. Empty at the start of a stream, where they follow as deltas.
    pub input: Value,
    /// The caller, if the model did not make the call directly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<Box<Caller>>,
    /// The toolset that the tool belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toolset_name: Option<String>,
}

/// The result of a tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct ToolResultBlock {
    /// The id of the tool call.
    pub tool_use_id: String,
    /// The content that the model receives; `None` if the tool returned nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<MessageContent>,
    /// Whether the call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// Marks the end of a part of the prompt that the API may cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
    /// The toolset that the tool belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toolset_name: Option<String>,
}

impl ToolResultBlock {
    /// Returns the text that the model receives; empty if there is none.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        self.content
            .as_ref()
            .map(MessageContent::text)
            .unwrap_or_default()
    }
}

/// A tool that a tool search found, contained in a tool result.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct ToolReferenceBlock {
    /// Name of the tool.
    pub tool_name: String,
    /// Marks the end of a part of the prompt that the API may cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
}

/// The caller of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct Caller {
    /// The kind of caller.
    #[serde(rename = "type")]
    pub kind: CallerKind,
    /// The code execution call whose code made this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_id: Option<String>,
}

/// The kind of a tool's caller.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[non_exhaustive]
pub enum CallerKind {
    /// The model called the tool directly.
    #[serde(rename = "direct")]
    Direct,
    /// Code that ran in the first version of the API's code container.
    #[serde(rename = "code_execution_20250825")]
    CodeExecution20250825,
    /// Code that ran in the second version of the API's code container.
    #[serde(rename = "code_execution_20260120")]
    CodeExecution20260120,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
