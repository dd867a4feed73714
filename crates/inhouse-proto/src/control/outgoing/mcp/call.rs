use serde::Serialize;
use serde_json::{Map, Value};

use super::super::declare::control_request;

control_request! {
    /// Calls a tool of an MCP server without the model.
    ///
    /// For servers that the CLI runs: it refuses to call one in the host's process, which the host
    /// can do by itself. The reply is the tool's result as MCP has it.
    pub struct McpCall("mcp_call") -> Value
    requires {
        /// The tool's full name, `mcp__server__tool`.
        tool: String = impl Into<String>,
    }
    accepts {
        /// Its arguments.
        arguments: Map<String, Value>,
        /// Whether permissions are checked as for a call of the model.
        check_permissions: bool,
        /// Whether the result is kept from the model.
        result_not_for_model: bool,
        /// The limit in milliseconds, from 1,000 to 600,000; 120,000 if there is none.
        timeout_ms: u64,
        /// When the call is no longer wanted (RFC 3339); required with output files.
        expires_at: String = impl Into<String>,
        /// Files that the tool reads, for hosted workers.
        input_files: Vec<McpInputFile>,
        /// Files that the tool writes, for hosted workers.
        output_files: Vec<McpOutputFile>,
    }
}

/// A file that a tool call reads.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct McpInputFile {
    /// The name that the tool knows it by.
    pub name: String,
    /// Where it is staged.
    pub lane_path: String,
}

impl McpInputFile {
    /// A staged file under a name.
    #[must_use]
    pub fn new(name: impl Into<String>, lane_path: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            lane_path: lane_path.into(),
        }
    }
}

/// A file that a tool call writes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct McpOutputFile {
    /// The name that the tool knows it by.
    pub name: String,
    /// Where it is staged.
    pub lane_path: String,
    /// The version that it must still have to be overwritten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub if_match: Option<String>,
}

impl McpOutputFile {
    /// A staged file under a name.
    #[must_use]
    pub fn new(name: impl Into<String>, lane_path: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            lane_path: lane_path.into(),
            if_match: None,
        }
    }

    /// Overwrites the file only while it has this version.
    #[must_use]
    pub fn if_match(mut self, version: impl Into<String>) -> Self {
        self.if_match = Some(version.into());
        self
    }
}
