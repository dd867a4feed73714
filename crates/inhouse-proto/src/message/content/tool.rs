use inhouse_macros::Open;
use serde::Serialize;
use std::borrow::Cow;

use serde_json::Value;

use super::{CacheControl, Content};

/// A call of a tool that the CLI or the host runs.
///
/// Its result comes in a later user message, in a [`ToolResultBlock`] with the same id.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct ToolUseBlock {
    /// The id of the call.
    pub id: String,
    /// The tool; `mcp__<server>__<tool>` for tools of MCP servers.
    pub name: String,
    /// The arguments. Empty at the start of a stream, where they follow as deltas.
    pub input: Value,
    /// Who made the call, when it was not the model itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<Box<Caller>>,
    /// The set of tools to which the tool belongs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toolset_name: Option<String>,
}

/// What a tool call returned.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct ToolResultBlock {
    /// The id of the call.
    pub tool_use_id: String,
    /// What the model is shown; absent when the tool returned nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Content>,
    /// Whether the call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// Where the prompt cache may end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
    /// The set of tools to which the tool belongs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toolset_name: Option<String>,
}

impl ToolResultBlock {
    /// The text that the model is shown; empty where there is none.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        self.content.as_ref().map(Content::text).unwrap_or_default()
    }
}

/// A tool named by a search for tools, inside of a tool result.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct ToolReferenceBlock {
    /// The tool.
    pub tool_name: String,
    /// Where the prompt cache may end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
}

/// Who made a tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct Caller {
    /// The kind of caller.
    #[serde(rename = "type")]
    pub kind: CallerKind,
    /// The call whose code made this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_id: Option<String>,
}

/// The kinds of callers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[non_exhaustive]
pub enum CallerKind {
    /// The model itself.
    #[serde(rename = "direct")]
    Direct,
    /// Code that ran in the first version of the API's code container.
    #[serde(rename = "code_execution_20250825")]
    CodeExecution20250825,
    /// Code that ran in the second version of the API's code container.
    #[serde(rename = "code_execution_20260120")]
    CodeExecution20260120,
    /// A value that this version does not know.
    Unknown(String),
}
