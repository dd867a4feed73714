use crate::control::ControlRequest;
use serde::Serialize;
use serde_json::{Map, Value};

/// Calls a tool of an MCP server without the model.
///
/// For servers that the CLI runs: it refuses to call one in the host's process, which the host
/// can do by itself. The reply is the tool's result as MCP has it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct McpCall {
    /// The tool's full name, `mcp__server__tool`.
    pub tool: String,
    /// Its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Map<String, Value>>,
    /// Whether permissions are checked as for a call of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_permissions: Option<bool>,
    /// Whether the result is kept from the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_not_for_model: Option<bool>,
    /// The limit in milliseconds, from 1,000 to 600,000; 120,000 if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// When the call is no longer wanted (RFC 3339); required with output files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Files that the tool reads, for hosted workers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_files: Option<Vec<McpInputFile>>,
    /// Files that the tool writes, for hosted workers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_files: Option<Vec<McpOutputFile>>,
}

impl McpCall {
    /// Creates the request without its optional members.
    #[must_use]
    pub fn new(tool: impl Into<String>) -> Self {
        Self {
            tool: tool.into(),
            arguments: None,
            check_permissions: None,
            result_not_for_model: None,
            timeout_ms: None,
            expires_at: None,
            input_files: None,
            output_files: None,
        }
    }

    /// Its arguments.
    #[must_use]
    pub fn arguments(mut self, arguments: Map<String, Value>) -> Self {
        self.arguments = Some(arguments);
        self
    }

    /// Whether permissions are checked as for a call of the model.
    #[must_use]
    pub fn check_permissions(mut self, check_permissions: bool) -> Self {
        self.check_permissions = Some(check_permissions);
        self
    }

    /// Whether the result is kept from the model.
    #[must_use]
    pub fn result_not_for_model(mut self, result_not_for_model: bool) -> Self {
        self.result_not_for_model = Some(result_not_for_model);
        self
    }

    /// The limit in milliseconds, from 1,000 to 600,000; 120,000 if there is none.
    #[must_use]
    pub fn timeout_ms(mut self, timeout_ms: u64) -> Self {
        self.timeout_ms = Some(timeout_ms);
        self
    }

    /// When the call is no longer wanted (RFC 3339); required with output files.
    #[must_use]
    pub fn expires_at(mut self, expires_at: impl Into<String>) -> Self {
        self.expires_at = Some(expires_at.into());
        self
    }

    /// Files that the tool reads, for hosted workers.
    #[must_use]
    pub fn input_files(mut self, input_files: Vec<McpInputFile>) -> Self {
        self.input_files = Some(input_files);
        self
    }

    /// Files that the tool writes, for hosted workers.
    #[must_use]
    pub fn output_files(mut self, output_files: Vec<McpOutputFile>) -> Self {
        self.output_files = Some(output_files);
        self
    }
}

impl ControlRequest for McpCall {
    const SUBTYPE: &'static str = "mcp_call";
    type Reply = Value;
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
