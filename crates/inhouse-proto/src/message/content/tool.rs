use std::borrow::Cow;

use serde_json::Value;

use super::{CacheControl, Content};
use crate::open::{open_enum, open_struct};

open_struct! {
    /// A call of a tool that the CLI or the host runs.
    ///
    /// Its result comes in a later user message, in a [`ToolResultBlock`] with the same id.
    pub struct ToolUseBlock ["type" = "tool_use"] {
        /// The id of the call.
        pub id: String,
        /// The tool; `mcp__<server>__<tool>` for tools of MCP servers.
        pub name: String,
        /// The arguments. Empty at the start of a stream, where they follow as deltas.
        pub input: Value,
        /// Who made the call, when it was not the model itself.
        pub caller: Option<Box<Caller>>,
        /// The set of tools to which the tool belongs.
        pub toolset_name: Option<String>,
    }
}

open_struct! {
    /// What a tool call returned.
    pub struct ToolResultBlock ["type" = "tool_result"] {
        /// The id of the call.
        pub tool_use_id: String,
        /// What the model is shown; absent when the tool returned nothing.
        pub content: Option<Content>,
        /// Whether the call failed.
        pub is_error: Option<bool>,
        /// Where the prompt cache may end.
        pub cache_control: Option<Box<CacheControl>>,
        /// The set of tools to which the tool belongs.
        pub toolset_name: Option<String>,
    }
}

impl ToolResultBlock {
    /// The text that the model is shown; empty where there is none.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        self.content.as_ref().map(Content::text).unwrap_or_default()
    }
}

open_struct! {
    /// A tool named by a search for tools, inside of a tool result.
    pub struct ToolReferenceBlock ["type" = "tool_reference"] {
        /// The tool.
        pub tool_name: String,
        /// Where the prompt cache may end.
        pub cache_control: Option<Box<CacheControl>>,
    }
}

open_struct! {
    /// Who made a tool call.
    pub struct Caller {
        /// The kind of caller.
        pub kind as "type": CallerKind,
        /// The call whose code made this call.
        pub tool_id: Option<String>,
    }
}

open_enum! {
    /// The kinds of callers.
    pub enum CallerKind {
        /// The model itself.
        Direct = "direct",
        /// Code that ran in the first version of the API's code container.
        CodeExecution20250825 = "code_execution_20250825",
        /// Code that ran in the second version of the API's code container.
        CodeExecution20260120 = "code_execution_20260120",
    }
}
